"""The event of a bulk change."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BulkChangeMoved:
    """Progress of a bulk change: more products were processed, or it has finished.

    Published in the transaction of the batch.
    """

    bulk_change_id: str
