"""A campaign played by scripted people through real mail servers, to be looked at."""
