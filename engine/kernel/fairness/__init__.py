"""Dice that anybody can check: the chain of links, audit, Merkle trees, exports."""
