"""Debian packages that tests need: installed when root and missing, one process at a time."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

INSTALL_SECONDS = 240

Found = TypeVar("Found")


class Missing(Exception):
    """A server is not to be had on this machine."""


def installed(find: Callable[[], Found | None], *packages: str) -> Found:
    """What `find` finds, if need be after installing these packages."""
    if (found := find()) is not None:
        return found
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise Missing(f"not installed, and only root can install it ({' '.join(packages)})")
    with (Path(tempfile.gettempdir()) / "pbem-install.lock").open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)  # several test processes, one package system
        if find() is None:
            _install(packages)
    if (found := find()) is None:
        raise Missing(f"{' '.join(packages)} installed, but what is needed is not in it")
    return found


def _install(packages: tuple[str, ...]) -> None:
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    patient = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=120"]
    for words in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        try:
            done = subprocess.run(
                [*patient, *words], env=quiet, capture_output=True, timeout=INSTALL_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise Missing(f"apt-get {words[0]} took more than {INSTALL_SECONDS} s") from None
        if done.returncode != 0:
            raise Missing(f"apt-get {words[0]} failed: {done.stderr.decode(errors='replace')[-300:]}")
