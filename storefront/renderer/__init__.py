"""The Node processes that draw the pages: what to ask of them, and how they are kept alive."""
