"""What runs without a service: play at the terminal, saved games, the analysis board, simulation."""
