"""The documentation as a site: `make docs` assembles its sources and builds them with Sphinx."""
