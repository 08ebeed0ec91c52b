"""Tables in a spreadsheet: the sheet and the rows that hold products, without titles, totals and hidden rows."""
