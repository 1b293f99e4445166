"""Pure rules: the standard library and pydantic only. No mail, clock, database or human language."""
