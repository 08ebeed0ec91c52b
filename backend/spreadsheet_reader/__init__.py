"""Reading of untrusted spreadsheets in a child process, with limits on memory, time and cells.

`reader` runs in the serving process. `child` is the other process; only it loads `workbook` and `delimited`.
"""
