"""Import of products from a spreadsheet that staff upload: first a preview, then a job that writes batches of rows.

The spreadsheet, its pictures and its planned changes are stored until a staff member presses «Importar». Each row
is independent: a refused row does not stop the others. Only changes that the preview showed are written.
"""
