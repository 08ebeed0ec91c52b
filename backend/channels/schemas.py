"""Bodies and parameters of sales channels and of keys (wire: commerce-api, Admin)."""

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
    """What may be said of a sales channel; what is left out stays."""

    model_config = example(description="La tienda de la calle 13")

    name: FilledName | None = None
    description: Text | None = None
    is_disabled: Literal[False] | None = None
    metadata: Metadata | None = None


class NewChannel(ChannelChange):
    """A new sales channel."""

    model_config = example(name="Feria del juguete")

    name: FilledName


LONGEST_NOTICE = 366 * 24 * 3600
"""Seconds."""

KeyType = Literal["publishable", "secret"]


class KeysParameters(FilterParameters):
    """Which keys."""

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
        None, description="Whose rights a secret key has: `shop` unless told otherwise."
    )


class Revocation(Body):
    """When nobody can use the key any longer."""

    model_config = example(revoke_in=0)

    revoke_in: Annotated[int, Field(ge=0, le=LONGEST_NOTICE)] | None = Field(
        None, description="In how many seconds, for a secret key; at once unless told otherwise."
    )


class KeyChannels(Links):
    """The sales channel that a publishable key is to name: one."""

    model_config = example(add=["sc_01JPZ6V3N8K4T2WQ7RXB5C9MHD"], remove=[])
