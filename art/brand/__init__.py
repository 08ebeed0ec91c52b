"""The shop's mark, its icons and its small illustrations."""
