"""The console script `trompo`."""
