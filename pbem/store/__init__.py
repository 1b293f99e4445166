"""The database: everything that matters is in it, and every change is one short transaction."""
