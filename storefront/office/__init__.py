"""The office: the pages on which the shop's staff work.

They are separate from the shoppers' pages, which load no code of the office.
"""
