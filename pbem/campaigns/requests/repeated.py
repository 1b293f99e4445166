"""Words that a letter repeats: each line behind a bar, and nothing in them frames a letter or a block.

A reply brings back all of it, with marks of quotation or without: what somebody else wrote must not be taken
for orders of the one who answers.
"""

from __future__ import annotations

from typing import Final

from pbem.orders.own_text import begins_block, is_end, marker

BAR: Final = "| "
NO_FRAME: Final = "0| "  # a line that begins with a figure begins and ends no block


def behind_bar(row: str) -> str:
    """The line as it is repeated."""
    spoilt = row.replace("#", "·") if marker(row) else row
    bar = NO_FRAME if begins_block(row) or is_end(row) else BAR
    return f"{bar}{spoilt}".rstrip()
