"""How answers look on the wire: compact JSON, moments to the millisecond, amounts with their exact twin.

(wire: commerce-api, Conventions)
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson
from starlette.responses import Response

JsonDict = dict[str, Any]


class Wire(Response):
    """A JSON answer out of plain values, written as it is: nothing is validated or copied on the way."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The content as JSON."""
        return orjson.dumps(content)


def iso(moment: datetime | None) -> str | None:
    """A moment as the platform writes it: `2026-11-21T02:02:25.477Z`."""
    if moment is None:
        return None
    return f"{moment.isoformat(timespec='milliseconds')[:23]}Z"


def exact(amount: int | float) -> JsonDict:
    """The exact twin that the platform keeps beside an amount."""
    return {"value": str(amount), "precision": 20}


def with_twins(amounts: Mapping[str, int | float | None]) -> JsonDict:
    """The amounts, each with its twin `raw_…`."""
    twins = {f"raw_{name}": None if amount is None else exact(amount) for name, amount in amounts.items()}
    return {**amounts, **twins}


def sibling_id(prefix: str, owner_id: str) -> str:
    """The id of something that exists once beside its owner and has no row: the owner's ULID under another prefix."""
    return f"{prefix}_{owner_id.partition('_')[2]}"


def stamps(created_at: datetime, updated_at: datetime) -> JsonDict:
    """When something was made and last changed."""
    return {"created_at": iso(created_at), "updated_at": iso(updated_at)}
