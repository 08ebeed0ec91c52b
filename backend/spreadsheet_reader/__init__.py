"""Reading of untrusted spreadsheets in a child process, with limits on memory, time and cells.

The server imports `reader`. The child process runs `child`; only the child imports `workbook` and `delimited`.
"""
