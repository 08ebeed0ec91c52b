"""Version of the program, from the installed package. `pyproject.toml` is the only place that states it."""

from importlib.metadata import version

VERSION = version("trompo")
