"""The pictures of the README, anew: result letters and a receipt, as a telephone shows them.

python -m tests.letters.readme_pictures
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from random import Random

from PIL import Image

from engine.kernel.game import Language
from pbem.letters.phrases import LANGUAGES
from pbem.letters.render import LetterBody
from tests.chromium import Chromium
from tests.letters.gallery import by_mail, page_of
from tests.letters.played import Wanted, play
from tests.letters.ten_seconds import WIDTH, written

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
TALLEST = 1250  # pixels shown of a letter
SCALE, COLORS = 2, 224
# A lively exchange of each: found by looking.
LETTERS: dict[Language, Wanted] = {
    "en": Wanted("fww", "react", "en", 4, "standard", 9, 7),
    "fr": Wanted("ttlm", "fast", "fr", 2, "1914", 9, 5),
}


def letters() -> Iterator[tuple[str, LetterBody]]:
    for language in LANGUAGES:
        yield f"letter-{language}", written(play(LETTERS[language], Random(2)))
    yield "receipt-en", dict(by_mail("fww", "en"))["mail-receipt-receipt"]


def picture_of(browser: Chromium, letter: LetterBody) -> Image.Image:
    """At twice the size, in few colors: sharp, and small enough to be loaded at once."""
    browser.show(page_of(letter), WIDTH)
    height = min(TALLEST, browser.evaluate("document.body.scrollHeight"))
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": SCALE}
    taken = browser.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
    shown = Image.open(BytesIO(b64decode(taken["data"]))).convert("RGB")
    return shown.quantize(COLORS, dither=Image.Dither.NONE)


def main() -> None:
    with Chromium() as browser:
        for name, letter in letters():
            picture_of(browser, letter).save(FOLDER / f"{name}.png", optimize=True)
            print(name, flush=True)


if __name__ == "__main__":
    main()
