"""Patrol: two scouts hide and search for each other. The game of docs/adding-a-game.md."""
