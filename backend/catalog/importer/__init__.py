"""Importing products from a file: `trompo catalog import FILE`.

The whole file is checked before anything is written; then it is written in batches, each in a transaction of its own.
A second run of the same file changes nothing. However long the file, only one batch of it is in memory.
"""
