"""Campaigns: what was agreed, how they advance, where they are kept."""
