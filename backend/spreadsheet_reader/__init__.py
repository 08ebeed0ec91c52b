"""Reading spreadsheets that others made, in a child process with limits on memory, time and cells.

`reader` is the serving process's side. `child` is the other process; only it loads `workbook` and `delimited`.
"""
