"""`trompo backup` and `trompo restore`, with the table of backups."""
