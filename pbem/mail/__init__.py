"""Letters in and out: IMAP, MIME, addresses and tokens, SMTP."""
