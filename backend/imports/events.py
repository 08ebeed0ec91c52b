"""Events of imports."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImportProgressed:
    """Event: pictures were added, rows were written, or the import has finished. Published in the same transaction."""

    import_id: str
