"""Takes the script out of every document that chooses between a light and a dark look before anything is shown.

The shop has one look, which its styles say. The script asked the browser's storage and its media, and every first
paint waited for that.
"""

import re

from storefront.plugins import unknown

DOCUMENT_JS = "app/_document.js"
CHOOSING = re.compile(r'jsx\("script",\{\},"\\n// Only run in browser environment(?:[^"\\]|\\.)*"\),')


def without_choosing(source: str) -> str:
    """The module without the script.

    Raises:
        RuntimeError: the module is not the one this plugin was written for.
    """
    source, found = CHOOSING.subn("", source)
    if found != 1:
        raise unknown(DOCUMENT_JS, "the script that chooses a look", "one_look")
    return source
