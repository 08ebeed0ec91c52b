"""Events of imports."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImportProgressed:
    """Event: an import got pictures, wrote rows, or finished. Published in the transaction of this change."""

    import_id: str
