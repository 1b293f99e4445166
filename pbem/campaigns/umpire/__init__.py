"""What umpires do, one module for each kind of act: used by their letters and by the command line alike.

Every act is journaled with its reason, kept, and told to every seat, in one transaction; what is hidden and
whose address is which is never told. An act that cannot be done now raises `CannotDo` before it changes
anything.
"""
