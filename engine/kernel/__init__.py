"""What every game stands on: requests, table, journal, dice, sheets, packs."""
