"""Trench Club: two teams, eleven companies' worth of units each, fourteen forts."""
