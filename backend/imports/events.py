"""Events of imports."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImportProgressed:
    """Event: an import got pictures, wrote rows, finished or was discarded. Published in the same transaction."""

    import_id: str
