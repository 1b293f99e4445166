"""A real browser for pages of ours: headless Chromium, spoken to over a pipe, one process for all pages.

with Chromium() as browser:
    browser.show(html, width=390, dark=True)
    browser.evaluate("document.title")
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from base64 import b64decode
from pathlib import Path
from typing import Any

from tests.packages import installed

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = (
    "--headless",
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # nothing is loaded from the network
    "--remote-debugging-pipe",
)
HEIGHT = 1200  # of the window
# The browser reads from 3 and writes to 4; a shell cannot rename every number.
LAUNCHER = """
import fcntl, os, sys
reads, writes = [fcntl.fcntl(int(word), fcntl.F_DUPFD, 10) for word in sys.argv[1:3]]
os.dup2(reads, 3), os.dup2(writes, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def find_chromium() -> str | None:
    return next((path for name in PROGRAMS if (path := shutil.which(name)) is not None), None)


class Chromium:
    """The browser and its one page."""

    def __init__(self) -> None:
        program = installed(find_chromium, "chromium")
        self._profile = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        child_reads, self._writes = os.pipe()
        self._reads, child_writes = os.pipe()
        ends = (child_reads, child_writes)
        words = [program, *SWITCHES, f"--user-data-dir={self._profile.name}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, *map(str, ends), *words],
            pass_fds=ends,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(child_reads)
        os.close(child_writes)
        self._number, self._buffer, self._session = 0, b"", ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self._frame = self.call("Page.getFrameTree")["frameTree"]["frame"]["id"]

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        self._process.wait(20)
        os.close(self._writes)
        os.close(self._reads)
        self._profile.cleanup()

    def call(self, method: str, **params: Any) -> Any:
        """One command of the DevTools protocol; events that come before its answer are dropped."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        raw = json.dumps(message).encode() + b"\0"
        while raw:
            raw = raw[os.write(self._writes, raw) :]
        while (answer := self._next()).get("id") != self._number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            if not (part := os.read(self._reads, 1 << 20)):
                raise RuntimeError("the browser has ended")
            self._buffer += part
        raw, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        return message

    def show(self, html: str, width: int, *, dark: bool = False) -> None:
        """Open the page in a window of that width, in the light or the dark color scheme."""
        self.resize(width, dark=dark)
        self.call("Page.setDocumentContent", frameId=self._frame, html=html)
        self.evaluate("Promise.all([...document.images].map(i => i.decode().catch(() => 0))).then(() => 1)")

    def resize(self, width: int, *, dark: bool = False) -> None:
        """The same page in another window."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=HEIGHT, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def evaluate(self, script: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"])[:800])
        return answer["result"].get("value")

    def picture(self, path: Path, height: int = 0) -> None:
        """The page as PNG: whole, or its first `height` pixels."""
        size = self.evaluate("[innerWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": height or size[1], "scale": 1}
        taken = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        path.write_bytes(b64decode(taken["data"]))
