"""Base of the rows in small tables that staff maintain."""

from sqlmodel import Field

from backend.core.db.tables import Json, JsonObject, Timestamps


class PlainRow(Timestamps):
    """A row of such a table: it has some texts beside these."""

    id: str = Field(primary_key=True)
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)
