"""AUTOMA The player of cardboard: its priorities, its turn, its purchases."""

from engine.games.trench_club.rules.automa.shopping import shop
from engine.games.trench_club.rules.automa.turn import automa_turn, stand_in

__all__ = ["automa_turn", "shop", "stand_in"]
