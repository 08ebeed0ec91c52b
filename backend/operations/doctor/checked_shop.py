"""Protocols for the parts of a shop that the checks use.

The checks cannot import `backend.shop`, because it is in a higher layer.
"""

from typing import Protocol

import httpx

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.media.picture_store import PictureStore
from backend.office_settings import EffectiveSettings
from backend.operations.monitoring.alert_webhook import OwnersWebhook


class SandboxTransports(Protocol):
    """Transports to the embedded providers. A transport is None if the shop uses the real provider."""

    @property
    def gateway_transport(self) -> httpx.AsyncBaseTransport | None:
        """Return the transport to the embedded gateway."""
        ...

    @property
    def carrier_transport(self) -> httpx.AsyncBaseTransport | None:
        """Return the transport to the embedded carrier."""
        ...


class CheckedShop(Protocol):
    """A shop that can be checked, such as `backend.shop.Shop`."""

    @property
    def settings(self) -> Settings:
        """Return the settings of the process."""
        ...

    @property
    def database(self) -> Database:
        """Return the shop's database."""
        ...

    @property
    def pictures(self) -> PictureStore:
        """Return the store of pictures."""
        ...

    @property
    def effective_settings(self) -> EffectiveSettings:
        """Return the settings with the changes made in the office."""
        ...

    @property
    def webhook(self) -> OwnersWebhook:
        """Return the webhook to the shop's owner."""
        ...

    @property
    def sandbox(self) -> SandboxTransports:
        """Return the transports to the embedded providers."""
        ...
