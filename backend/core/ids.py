"""Prefixed ids: `prod_01J…`, as the commerce platform creates them (wire: commerce-api, Conventions).

Anyone who knows the id of a cart may use the cart, so such ids are made by `secret_id`. Ids from `new_id` are not
secret: anyone who knows one of them can guess those that were created shortly before or after it.
"""

import secrets

from ulid import ULID

TIME_BYTES = 6
RANDOM_BYTES = 10


def new_id(prefix: str) -> str:
    """Return a sortable id: the prefix, an underscore and a ULID. Within a process, later ids sort later."""
    return f"{prefix}_{ULID()}"


def secret_id(prefix: str) -> str:
    """Return an id that cannot be guessed: the prefix, an underscore, and a ULID of this moment with 80 random bits.

    Two ids of the same millisecond sort in any order, so a list in creation order must sort by `created_at` first.
    """
    return f"{prefix}_{secret_ulid()}"


def timeless_id(prefix: str) -> str:
    """Return a random id that does not reveal its creation time: the prefix, an underscore, and 128 bits as a ULID."""
    return f"{prefix}_{ULID.from_bytes(secrets.token_bytes(TIME_BYTES + RANDOM_BYTES))}"


def secret_ulid() -> str:
    """Return a new ULID of this moment that cannot be guessed; `secret_id` puts a prefix before it."""
    return str(ULID.from_bytes(ULID().bytes[:TIME_BYTES] + secrets.token_bytes(RANDOM_BYTES)))
