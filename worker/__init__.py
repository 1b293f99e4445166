"""Thin Celery tasks around `pbem`: receive, adjudicate, send, sweep."""
