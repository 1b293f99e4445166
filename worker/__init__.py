"""Thin tasks around `pbem`: receive, adjudicate, post, sweep."""
