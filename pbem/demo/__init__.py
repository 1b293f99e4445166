"""`pbem demo`: scripted players play a campaign through real mail servers."""
