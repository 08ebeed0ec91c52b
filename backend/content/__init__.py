"""Content that staff write for pages and mails: versions of each area, and the published one."""
