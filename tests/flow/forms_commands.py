"""Commands alone and beside orders, in both languages; and the mistakes that people make."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.flow.forms_cases import Form, Writing
from tests.flow.forms_said import ATTACK, FRENCH, Meant
from tests.flow.forms_special import BLOCK, FILED, NOTHING, Row, forms

MOVED: Final = Meant(reply="C1: MOVE 1: DE1 DE2 > 2")
AUTOMATIC: Final = {"auto-submitted": "auto-replied"}
PRESS: Final = "PRESS TO WA: Leave Verdun, and nobody gets hurt."
TWO_DAYS: Final = Meant(ATTACK, words="can be read in more than one way")

COMMANDS: Final = (
    Row("Gmail web", "STATUS", "STATUS", NOTHING, "plain"),
    Row("iPhone", "three commands", "Hi,\n\nHAND\nMAP\nRULE 5.4.1\n\nThanks", NOTHING, "html"),
    Row("Free", "ÉTAT and CARTE", "Bonjour,\n\nÉTAT\nCARTE, SVP\n\nMerci", NOTHING, "plain", "fr"),
    Row("Outlook mobile", "READY", "READY", Meant(stance="ready"), "html"),
    Row("Orange", "PRÊTE with orders", f"Prête !\n\n{FRENCH}", Meant(FRENCH, stance="ready"), "plain", "fr"),
    Row("Thunderbird", "WAIT with orders", f"WAIT\n{BLOCK}", Meant(ATTACK, stance="wait"), "plain"),
    Row("GMX", "CHECK with orders", f"CHECK\n\n{BLOCK}", Meant(words="Nothing has been filed"),
        "plain"),
    Row("Free", "ESSAI with orders", f"ESSAI\n\n{FRENCH}", NOTHING, "plain", "fr"),
    Row("mutt", "SALT with orders", f"SALT nine old ravens\n{BLOCK}", Meant(ATTACK, words="nine old ravens"),
        "plain"),
    Row("Proton", "HELP with orders", f"{ATTACK}\nHELP orders", FILED, "plain"),
    Row("Yahoo", "LANG with orders", f"LANG fr\n{BLOCK}", Meant(ATTACK, beyond=("people",)), "plain"),
    Row("K-9", "ABSENT with orders", f"ABSENT 3 Dec - 20 Dec\n{BLOCK}", Meant(ATTACK, beyond=("absences",)),
        "plain"),
    Row("Roundcube", "ABSENT with an unclear date", f"ABSENT 3/12 - 9/12\n{BLOCK}", TWO_DAYS, "plain"),
    Row("Samsung", "press with orders", f"{PRESS}\n{BLOCK}", Meant(ATTACK, press=("WA",)), "plain"),
    Row("Gmail app", "standing orders", "STANDING\nDRAW NO\nEND", Meant(standing="DRAW NO"), "plain"),
    Row("Orange", "consignes", "CONSIGNES\nPIOCHE NON\nFIN\nMerci", Meant(standing="DRAW NO"), "plain", "fr"),
    Row("Apple Mail", "a number", "16", MOVED, "plain"),
    Row("Outlook web", "a number", "Hello,\n\n16\n\nMax", MOVED, "html"),
    Row("iPhone", "Q1 and a number", "Q1: 16", MOVED, "plain"),
    Row("Gmail web", "CANCEL with nothing on file", "CANCEL ALL", NOTHING, "plain"),
    Row("Gmail app", "an empty mail, STATUS as its subject", "\n", NOTHING, headers={"subject": "STATUS"}),
    Row("Outlook desktop", "RESIGN", "RESIGN", Meant(asks=("serious",)), "plain"),
    Row("Yahoo", "STOP", "STOP", Meant(asks=("stop-of-a-seat",)), "plain"),
    Row("Orange", "CONFIRM of nothing", "CONFIRM", NOTHING, "plain"),
    Row("Outlook desktop", "an absence note", f"I am away.\n{ATTACK}", Meant(state="set-aside", answer=False),
        headers=AUTOMATIC),
)  # fmt: skip

HELD: Final = Meant("C1: ATTACK 3", asks=("good-lines",), then="C1: ATTACK 3", held=True)
DOUBT: Final = Meant(asks=("doubtful-line",), then="C1: ATTACK 3")
DOUBT_BESIDE: Final = Meant(asks=("doubtful-line",), then=ATTACK)
FIRM: Final = "This e-mail is confidential."


def _block(second: str) -> str:
    return f"ORDERS FWW-1 T1.R\nC1: ATTACK 3\n{second}\nEND"


MISTAKES: Final = (
    Row("Gmail web", "a misspelt order in the block", _block("C2: ATTAK 4"), HELD, "plain"),
    Row("iPhone", "a misspelt order in the block", _block("C2: MVOE 1: DE1 > 2"), HELD, "html"),
    Row("Yahoo", "a front that is none", _block("C2: ATTACK 77"), HELD, "plain"),
    Row("GMX", "a misspelt free line", "C1: ATTACK 3\nC2: ATTAK 4", DOUBT, "plain"),
    Row("Proton", "talk among free lines", "C1: ATTACK 3\nI hope this will do the trick.", DOUBT, "plain"),
    Row("Samsung", "a Hungarian sign-off without a block", f"{ATTACK}\n\nÜdvözlettel\nMax", DOUBT_BESIDE,
        "plain", "de"),
    Row("Outlook mobile", "a footer of the firm", f"{ATTACK}\n\n{FIRM}", FILED, "plain"),
    Row("K-9", "a wrap before the arrow", ATTACK.replace("DE2 > 2", "DE2\n> 2"), DOUBT),
    Row("mutt", "a wrap before the arrow, in a block", BLOCK.replace("DE2 > 2", "DE2\n> 2"), HELD),
    Row("Roundcube", "two blocks that differ", f"{BLOCK}\n\n{_block('C2: PASS')}",
        Meant(asks=("several-blocks",)), "plain"),
    Row("Outlook web", "the header of another campaign", BLOCK.replace("FWW-1", "FWW-9"),
        Meant(asks=("other-campaign",)), "plain"),
    Row("Thunderbird", "a header that says something else", BLOCK.replace("FWW-1", "for my brave troops"),
        Meant(asks=("unclear-header",)), "plain"),
    Row("Apple Mail", "an empty block", "ORDERS FWW-1 T1.R\nEND", Meant(asks=("empty-block",)), "plain"),
    Row("Free", "CONFIRM and orders", f"CONFIRM\n{BLOCK}", Meant(asks=("confirm-and-orders",)), "plain"),
    Row("mutt", "an order in the signature", f"{ATTACK}\n-- \nMax\nC3: ATTACK 4",
        Meant(ATTACK, words="This line is in your signature"), "plain"),
    Row("K-9", "press without an end", f"PRESS TO WA\nLeave Verdun.\n\n{BLOCK}",
        Meant(ATTACK, words="There is no END after your message"), "plain"),
)  # fmt: skip


def commands(writing: Writing) -> Iterator[Form]:
    yield from forms(writing, COMMANDS)


def mistakes(writing: Writing) -> Iterator[Form]:
    yield from forms(writing, MISTAKES)
