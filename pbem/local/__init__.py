"""What runs without a service: play at a terminal, the analysis board, simulation."""
