"""Servers that come with the service, for machines that have none."""
