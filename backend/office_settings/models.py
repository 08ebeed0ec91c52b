"""The table of what the office saved."""

from sqlmodel import Field

from backend.core.db.tables import Timestamps


class StoredSetting(Timestamps, table=True):
    """A setting that somebody saved in the shop, by the name it has in `Settings`."""

    __tablename__ = "stored_setting"

    name: str = Field(primary_key=True)
    value: str
