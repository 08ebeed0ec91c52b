"""The event of a change of many products."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BulkChangeMoved:
    """Some more of its products were changed, or it is done. Published in the transaction of that."""

    bulk_change_id: str
