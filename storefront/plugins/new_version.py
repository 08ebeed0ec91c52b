"""Says in the shop's language what Reflex says in English: that the open page is of an older version than the shop.

Reflex reloads such a page by itself; the banner is for when that did not help, while a shop is being replaced.
"""

import json
import re

from backend.texts import _
from storefront.plugins import STATE_JS, unknown

NEWS = _("Hay una versión nueva de la tienda.")
RELOAD = _("Actualizar")
PLACES = {
    re.compile(r'(?<=  banner\.append\()"[^"]*"(?=\);)'): NEWS,
    re.compile(r'(?<=  button\.textContent = )"[^"]*"(?=;)'): RELOAD,
}


def with_our_words(source: str) -> str:
    """The script with the banner's words in the shop's language.

    Raises:
        RuntimeError: the script is not the one this plugin was written for.
    """
    for place, words in PLACES.items():
        source, found = place.subn(json.dumps(words, ensure_ascii=False).replace("\\", r"\\"), source)
        if found != 1:
            raise unknown(STATE_JS, "the banner of a new version", "new_version")
    return source
