"""What letters may ask for: one module a family of verbs, each verb declared once beside its handler."""
