"""Prefixed, sortable ids: `prod_01J…`, as the commerce platform makes them (wire: commerce-api, Conventions)."""

from ulid import ULID


def new_id(prefix: str) -> str:
    """A new id: the prefix, an underscore and a ULID. Ids made later sort later (to the millisecond)."""
    return f"{prefix}_{ULID()}"
