"""The commands `trompo backup` and `trompo restore`, and the table of backups."""
