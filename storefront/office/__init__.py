"""The office: the pages where the shop's staff work.

They are separate from the shoppers' pages, which load no office code.
"""
