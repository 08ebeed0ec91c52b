"""`trompo tidy`: deletion of rows and pictures that are not needed any more."""
