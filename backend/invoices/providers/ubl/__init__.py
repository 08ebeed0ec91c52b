"""A provider that is told documents as UBL 2.1 over HTTP, as the DIAN's annex 1.9 (Res. 165 of 2023) wants them.

It speaks to the embedded sandbox. Another provider of the kind is a client of its own; XML and codes stay.
"""
