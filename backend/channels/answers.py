"""Regions, sales channels, shipping profiles and API keys as returned by the Store and Admin API."""

from typing import NotRequired

from typing_extensions import TypedDict

from backend.edge.wire import JsonDict, LastingStamps, Page, Stamps


class CountryOut(LastingStamps):
    """A country of a region."""

    iso_2: str
    iso_3: str
    num_code: str
    name: str
    display_name: str
    region_id: str
    metadata: None


class RegionOut(LastingStamps):
    """A region where the shop sells."""

    id: str
    name: str
    currency_code: str
    automatic_taxes: bool
    metadata: JsonDict | None
    countries: list[CountryOut]


class RegionAnswer(TypedDict):
    """A region."""

    region: RegionOut


class RegionsAnswer(Page):
    """The regions."""

    regions: list[RegionOut]


class ChannelOut(LastingStamps):
    """A sales channel."""

    id: str
    name: str
    description: str | None
    is_disabled: bool
    metadata: JsonDict | None


class ChannelAnswer(TypedDict):
    """A sales channel."""

    sales_channel: ChannelOut


class ChannelsAnswer(Page):
    """The sales channels."""

    sales_channels: list[ChannelOut]


class ProfileOut(LastingStamps):
    """A shipping profile."""

    id: str
    name: str
    type: str
    metadata: None


class KeyChannel(TypedDict):
    """The sales channel of a key."""

    id: str
    name: str


class KeyOut(Stamps):
    """An API key.

    The token of a publishable key is public. The token of a secret key is returned only once, when the key is
    created.
    """

    id: str
    title: str
    token: str
    redacted: str
    type: str
    role: NotRequired[str]
    last_used_at: str | None
    created_by: str | None
    revoked_at: str | None
    revoked_by: str | None
    sales_channels: list[KeyChannel]


class KeyAnswer(TypedDict):
    """A key."""

    api_key: KeyOut


class KeysAnswer(Page):
    """A page of publishable API keys."""

    api_keys: list[KeyOut]
