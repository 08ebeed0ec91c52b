"""How an address changes by what was sent of it, wherever it is kept: in a cart, an address book or an order."""

from collections.abc import Mapping
from typing import Any

from backend.edge.wire import JsonDict

CODE = "dane_code"


def changed_address(known: Mapping[str, Any], sent: Mapping[str, Any]) -> JsonDict:
    """The known address with what was sent of it. With another city, the code of the municipality is dropped."""
    changed = {**known, **sent}
    metadata = changed.get("metadata") or {}
    has_moved = any(name in sent and sent[name] != known.get(name) for name in ("city", "province"))
    if has_moved and CODE in metadata and not (sent.get("metadata") or {}).get(CODE):
        changed["metadata"] = {name: value for name, value in metadata.items() if name != CODE}
    return changed
