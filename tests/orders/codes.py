"""Every code that refusals and questions of the order reader carry, with the names of its facts.

The phrases are checked against these tables, and so is whatever letters the tests have read.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Reason -> names of its facts. The refusals of the order reader; a game's notation adds its own.
REASONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "mail-not-understood": ("word",),  # neither a command nor an order
        "mail-your-name": ("word",),  # the writer's own name, and a word that does something
        "mail-question-mark": (),  # an order or a command that ends in one
        "mail-left-over": ("verb", "word"),  # the command was complete before this word
        "mail-missing": ("verb", "expected"),  # expected: one of EXPECTED
        "mail-not-for-you": ("verb", "writer"),
        "mail-other-campaign": ("named", "campaign"),  # a command that names another one of the writer's
        "mail-unknown-seat": ("word",),
        "mail-unknown-language": ("word",),
        "mail-unknown-zone": ("word",),
        "mail-unknown-turn": ("word",),
        "mail-unknown-time": ("text",),
        "mail-impossible-date": ("text",),
        "mail-dates-reversed": ("first", "last"),
        "mail-date-past": ("last",),
        "mail-bad-address": ("word",),
        "mail-bad-dice": ("word",),
        "mail-bad-line-number": ("word",),
        "mail-no-such-question": ("number", "most"),
        "mail-no-such-answer": ("number", "question", "most"),
        "mail-no-seat": (),  # orders of somebody who holds no seat
        "mail-not-standing": (),  # an order of a turn inside STANDING … END
    }
)
EXPECTED = (
    "address", "battle", "campaign", "colon", "date", "dice", "game", "language", "piece", "rule", "seat",
    "segment", "text", "zone",
)  # fmt: skip

# Code -> names of its facts. What the receipt asks back.
QUESTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "doubtful-line": (),  # its reason says why; nothing runs
        "other-turn": ("named", "open"),  # CONFIRM: for the open turn
        "which-turn": ("open",),  # neither header nor reply tells; CONFIRM: for the open turn
        "nothing-open": (),  # orders, and no turn is waiting for any
        "other-campaign": ("named", "campaign"),
        "unclear-header": (),  # ORDERS and something that is neither campaign nor turn
        "several-blocks": ("blocks",),
        "empty-block": (),  # CONFIRM: withdraw what is on file
        "template-and-orders": (),  # our order form was edited, and there are other orders
        "form-and-orders": (),  # our order form as it was sent, unmarked, and there are other orders
        "template-older": ("open", "form"),  # an earlier form was edited; CONFIRM: these are the orders
        "template-wrapped": ("form",),  # by a mail program, perhaps; CONFIRM: these are the orders
        "several-forms": ("forms",),  # edited in different ways
        "template-unknown": (),  # a form that we cannot compare; CONFIRM: these are the orders
        "new-lines": (),  # written between our markers
        "below-signature": (),  # the only orders stand in the signature; CONFIRM: they count
        "in-signature": (),  # reads like an order or a command, but stands in the signature
        "which-question": ("open",),  # a bare number, and several questions are open
        "several-answers": ("question", "answers"),
        "which-date": ("text", "dates"),  # 3/8
        "text-without-end": (),
        "press-continues": (),  # the next line looks like the rest of it
        "wrapped-or-two": ("joined",),  # two orders, or one in two lines
        "confirm-and-orders": (),
        "stop-of-a-seat": (),  # CONFIRM: no more letters, the seat stays
        "struck-out": (),  # a whole line: it does not count
        "struck-in-part": (),  # what is left of the line may be meant, or nothing of it
        "forms-differ": (),  # text and HTML of the letter have different orders
        "cut-off": (),  # the letter was longer than is read
        "nothing-said": (),
    }
)
