"""Operation of a shop: opening, monitoring, checks, backups, deletion of expired data."""
