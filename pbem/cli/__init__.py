"""The commands of `pbem`, one module for each kind. Thin: what they do stands elsewhere."""
