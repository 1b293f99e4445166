"""What players and observers may ask of the service: one handler a command, in modules by subject.

information   HELP STATUS MAP HAND HISTORY RULE ODDS VERIFY LIST SHOW STANDING
changes       READY WAIT CANCEL SALT ABSENT LANG ZONE
addresses     ADDRESS LINK UNLINK
talk          PRESS
consent       PROPOSE ROLLBACK, AGREE, ARMISTICE, RESIGN, WATCH, STOP
"""
