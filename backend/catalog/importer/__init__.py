"""Import of products from a file: `trompo catalog import FILE`.

The whole file is checked before anything is written; then it is written in batches, one transaction per batch. A
second run of the same file changes nothing. A long file in the shop's own format is read batch by batch, so that it
needs little memory.
"""
