"""Bodies and parameters of the routes of small tables."""

from pydantic import Field

from backend.edge.schemas import Body, Metadata, Moments, Name


class RowsParameters(Moments):
    """Which rows. A kind adds a list for each text that is compared as a whole."""

    id: list[Name] | None = None
    q: Name | None = Field(None, description="Parts of the texts; accents do not matter.")


class RowChange(Body):
    """A change of a row; what is left out stays. A kind adds its texts."""

    metadata: Metadata | None = None
