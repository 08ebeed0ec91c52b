"""Things that several toys share."""
