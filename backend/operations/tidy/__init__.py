"""`trompo tidy`: deletion of rows and pictures that are no longer needed."""
