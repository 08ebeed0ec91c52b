"""What `trompo doctor` looks at, before the shop opens and while it is open."""
