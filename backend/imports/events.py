"""The event of an import."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImportMoved:
    """Pictures came, some more rows were written, or it is done. Published in the transaction of that."""

    import_id: str
