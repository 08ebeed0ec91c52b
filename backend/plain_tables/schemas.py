"""Request bodies and query parameters of the routes of small tables."""

from pydantic import Field

from backend.edge.schemas import Body, Metadata, MomentParameters, Name


class RowsParameters(MomentParameters):
    """Query parameters of a list of rows. A table adds a list parameter for each text column to filter by.

    The values are compared exactly.
    """

    id: list[Name] | None = None
    q: Name | None = Field(None, description="Parts of the texts; accents do not matter.")


class RowChange(Body):
    """A change of a row; fields that are left out stay unchanged. A table adds fields for its text columns."""

    metadata: Metadata | None = None
