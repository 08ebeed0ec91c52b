"""The table of saved settings."""

from sqlmodel import Field

from backend.core.db.tables import Timestamps


class StoredSetting(Timestamps, table=True):
    """A setting that staff saved in the office. Its key is its name in `Settings`."""

    __tablename__ = "stored_setting"

    name: str = Field(primary_key=True)
    value: str
