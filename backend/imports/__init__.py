"""Import of products from a spreadsheet that staff send: first a preview, then a job that writes batches.

The spreadsheet, its pictures and its planned changes are stored until a staff member presses «Importar». Each row
is independent: a refused row does not stop the others, and only changes of the preview are written.
"""
