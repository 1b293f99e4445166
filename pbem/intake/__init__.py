"""Letters on their way in: named checks, then a hearing, then one transaction that does what they say."""
