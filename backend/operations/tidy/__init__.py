"""`trompo tidy`: rows and pictures that are deleted when nobody needs them any more."""
