"""Request bodies and parameters of sales channels and API keys (wire: commerce-api, Admin)."""

from typing import Annotated, Literal

from pydantic import Field

from backend.edge.schemas import (
    Body,
    FilledName,
    FilterParameters,
    Links,
    Metadata,
    Name,
    Text,
    example,
)
from backend.staff.rights import Role


class ChannelChange(Body):
    """Changed fields of a sales channel; omitted ones are unchanged."""

    model_config = example(description="La tienda de la calle 13")

    name: FilledName | None = None
    description: Text | None = None
    is_disabled: Literal[False] | None = None
    metadata: Metadata | None = None


class NewChannel(ChannelChange):
    """A new sales channel."""

    model_config = example(name="Feria del juguete")

    name: FilledName


MAX_REVOCATION_DELAY_S = 366 * 24 * 3600
"""Maximum number of seconds after which the revocation of a secret key can take effect."""

KeyType = Literal["publishable", "secret"]


class KeysParameters(FilterParameters):
    """Filters of the list of keys."""

    id: list[Name] | None = None
    title: list[Name] | None = None
    type: KeyType | None = None
    q: Name | None = Field(None, description="Part of the title.")


class KeyChange(Body):
    """The key's title."""

    model_config = example(title="Aplicación de la feria")

    title: FilledName


class NewKey(KeyChange):
    """A new key: a publishable one for the Store API, or a secret one for the Admin API."""

    model_config = example(title="Aplicación de la feria", type="publishable")

    type: KeyType
    role: Annotated[Role, Field(strict=False)] | None = Field(
        None, description="The role whose rights a secret key has. Default: `shop`."
    )


class Revocation(Body):
    """The delay after which a key is revoked."""

    model_config = example(revoke_in=0)

    revoke_in: Annotated[int, Field(ge=0, le=MAX_REVOCATION_DELAY_S)] | None = Field(
        None, description="Seconds until a secret key is revoked. Default: immediately."
    )


class KeyChannels(Links):
    """A change of the sales channel of a publishable key. A key has exactly one channel."""

    model_config = example(add=["sc_01JPZ6V3N8K4T2WQ7RXB5C9MHD"], remove=[])
