"""How far the rehearsal of a sheet goes."""

from __future__ import annotations

from engine.games.trench_club.foregone import Outlook
from engine.kernel import suppositions


class Suppositions(suppositions.Suppositions):
    """Nothing is hidden but what is drawn: it ends at the first roll or question to somebody else."""

    outlook = Outlook
