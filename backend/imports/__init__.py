"""Products from a spreadsheet that staff send: looked at first, then written in batches by a job.

A sheet and its pictures are kept with what they would change until somebody says «Importar». Each row stands for
itself: what one refuses stops no other, and only what was shown is changed.
"""
