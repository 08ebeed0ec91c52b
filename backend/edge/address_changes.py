"""Changes of an address in a cart, an address book or an order."""

from collections.abc import Mapping
from typing import Any

from backend.edge.wire import JsonDict

CODE = "dane_code"


def changed_address(address: Mapping[str, Any], sent: Mapping[str, Any]) -> JsonDict:
    """Return the address with the fields in `sent` replaced.

    If the city or the province changes, the old municipality code is removed, unless a new code was sent too.
    """
    changed = {**address, **sent}
    metadata = changed.get("metadata") or {}
    has_moved = any(name in sent and sent[name] != address.get(name) for name in ("city", "province"))
    if has_moved and CODE in metadata and not (sent.get("metadata") or {}).get(CODE):
        changed["metadata"] = {name: value for name, value in metadata.items() if name != CODE}
    return changed
