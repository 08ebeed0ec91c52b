"""Rights of a person over their data: access and erasure (Ley 1581 of 2012)."""
