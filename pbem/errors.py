"""What the application says when it cannot do what it was asked.

Every message is one sentence that names the thing at fault; the command line prints it and leaves
with `code`.
"""

from __future__ import annotations


class PbemError(Exception):
    """Something the person at the terminal can act on."""

    code = 2  # bad usage or unreadable input


class BadInput(PbemError):
    """No such game, scenario, option, seat, file; or a file that cannot be read."""


class CheckFailed(PbemError):
    """The input was read, and something in it is wrong."""

    code = 1
