"""What the shop earned: figures of a period, the IVA in them, and tables of all of it for spreadsheets."""
