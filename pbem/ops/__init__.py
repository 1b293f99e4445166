"""Running a service: supervisor, sweep, delivery, health, metrics, backup, preflight."""
