"""A player that weighs what it sees: ground, trenches, expected hits."""
