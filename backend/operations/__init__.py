"""Running a shop: opening it, watching it, checking it, backing it up, tidying it."""
