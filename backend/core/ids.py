"""Prefixed ids: `prod_01J…`, as the commerce platform makes them (wire: commerce-api, Conventions).

Whoever knows the id of a cart may use it, so ids of that kind are made by `secret_id`. Ids by `new_id` follow each
other closely: one tells the next.
"""

import secrets

from ulid import ULID

TIME_BYTES = 6
RANDOM_BYTES = 10


def new_id(prefix: str) -> str:
    """A sortable id: the prefix, an underscore and a ULID. Ids that a process makes later sort later."""
    return f"{prefix}_{ULID()}"


def secret_id(prefix: str) -> str:
    """An id that no other tells: the prefix, an underscore, and a ULID of this moment with 80 random bits of its own.

    Two of the same millisecond sort in any order: a list in their order of making sorts by `created_at` first.
    """
    return f"{prefix}_{secret_ulid()}"


def timeless_id(prefix: str) -> str:
    """An id that tells nothing, not even when it was made: the prefix, an underscore, and 128 random bits as a ULID."""
    return f"{prefix}_{ULID.from_bytes(secrets.token_bytes(TIME_BYTES + RANDOM_BYTES))}"


def secret_ulid() -> str:
    """The ULID of a `secret_id`, without a prefix."""
    return str(ULID.from_bytes(ULID().bytes[:TIME_BYTES] + secrets.token_bytes(RANDOM_BYTES)))
