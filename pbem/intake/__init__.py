"""Letters on their way in: named checks, then a plan, then one transaction that does what they say."""
