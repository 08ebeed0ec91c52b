"""Bringing products in from a file: `trompo catalog import FILE.csv`.

The file is looked through as a whole before anything is written; then it is written in batches, each in a transaction
of its own. A second run of the same file finds nothing to do. However long the file, only a batch of it is in memory.
"""
