"""How a game of To the Last Man! went, and what its dice were for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from engine.games.to_the_last_man.pack import Pack
from engine.games.to_the_last_man.rules.fire import scored
from engine.games.to_the_last_man.state import BOX
from engine.games.to_the_last_man.view import View
from engine.kernel import retrospect
from engine.kernel.fairness.history import Throw
from engine.kernel.requests import Fact
from engine.kernel.retrospect import Stake

# A volley's roll as `rules.fire` calls it: its area, its step, kind of dice and firepower.
_VOLLEY = re.compile(r"(?P<area>[^.]+)\.(?P<step>[a-z]+)\.(?:\w+\.)?F(?P<power>\d+)(?:\.again)?")


class Retrospect(retrospect.Retrospect):
    """Germany's victory points; areas that changed hands; hits, and losses in the East avoided."""

    reasons = ("decisive", "time", "armistice", "resignation")
    landmarks = ("OwnerChanged", "ArmyEliminated")

    def standing(self, view: View) -> Mapping[str, int]:
        """3.1 One total, of which Germany wants much and the Entente little."""
        return {"VP": view.victory.total}

    def stake(
        self, pack: Pack, throw: Throw, facts: Sequence[Fact], past: Sequence[Fact] = ()
    ) -> Stake | None:
        """5.2.1-01 A die hits with its firepower or less; 2.V.4-01 in the East a low one costs a unit."""
        faces = range(1, throw.sides + 1)
        if (volley := _VOLLEY.fullmatch(throw.purpose)) is not None:
            power = int(volley["power"])
            worth = tuple(scored((face,), power) for face in faces)
            return Stake(volley["step"], worth, (volley["area"],))
        if throw.purpose == f"{BOX}.losses":
            return Stake("eft", tuple(int(face > pack.meta.eft_loss_face) for face in faces))
        return None
