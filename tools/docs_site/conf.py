"""Configuration of Sphinx. `tools.docs_site` assembles the sources and calls Sphinx with this file."""

from typing import Any

from backend.core.config.version import VERSION

project = "Trompo"
version = release = VERSION
language = "en"
copyright = "Trompo contributors, MIT licence"  # noqa: A001 - the name that Sphinx reads

extensions = ["myst_parser"]
myst_heading_anchors = 4
nitpicky = True
suppress_warnings = ["misc.highlighting_failure"]  # the highlighter does not know all of TypeScript's JSX

html_theme = "furo"
html_title = "Trompo"
html_copy_source = False
html_show_sphinx = False

SPANISH = "es/"
"""Folder of the pages in Spanish."""


def set_language(_app: Any, page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Set the language of a page, which browsers and screen readers use."""
    if page.startswith(SPANISH):
        context["language"] = "es"


def setup(app: Any) -> None:
    """Connect to the events of Sphinx."""
    app.connect("html-page-context", set_language)
