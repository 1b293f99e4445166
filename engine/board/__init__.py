"""Boards without a game: graphs of areas."""
