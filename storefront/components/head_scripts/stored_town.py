"""Script that marks the document if this browser has stored a municipality (`assets/scripts/town.js`).

The styles then reserve the height of a promised day in the box that estimates the shipping, before the day is
known. Without a municipality the box is as high as its question.
"""

import reflex as rx

STORED_TOWN_SCRIPT = """
if (localStorage.getItem("trompo_town")) document.documentElement.dataset.hasTown = "";
"""


def stored_town_script() -> rx.Component:
    """Build the head's script element, which marks the document if the browser has stored a municipality.

    It must follow `storage_script`, which replaces a missing storage.
    """
    return rx.el.script(STORED_TOWN_SCRIPT)
