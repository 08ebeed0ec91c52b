"""Base class of the rows in small tables that staff maintain."""

from sqlmodel import Field

from backend.core.db.tables import Json, JsonObject, Timestamps


class PlainRow(Timestamps):
    """A row of a small table. Each table adds its text columns."""

    id: str = Field(primary_key=True)
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)
