"""Devices that have signed in before: each has tries of its own, so that strangers' wrong ones do not lock it out.

A browser keeps a signed cookie, also after signing out, with a random id for each of its last accounts. All that an id
does is to have wrong passwords and asked links counted by itself (`backend.rate_limit.limiter.Client.device`). An
account is named by a keyed hash of its address and its password's hash: a new password ends what earlier devices had.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Request
from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.responses import Response

from backend.core.config.settings import Settings
from backend.core.web.passwords import hash_of, new_token
from backend.core.web.signing import keyed_hash
from backend.edge.auth.cookies import read_cookie, set_cookie
from backend.edge.dependencies import ClientIp, ShopSettings
from backend.rate_limit.limiter import Client

COOKIE = "trompo_device"
PATH = "/auth"
LIFETIME = timedelta(days=365)
MOST_ACCOUNTS = 5
"""How many accounts one browser is known to, the last ones."""


@dataclass(frozen=True, slots=True)
class DeviceAccount:
    """An account that devices are known to: its kind, its address, and the hash of the password that it has now."""

    kind: str
    address: str
    password_hash: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who wants to sign in: where from, and which accounts know the device.

    Attributes:
        client: as limits count one that nobody knows.
        signing_key: the shop's.
        devices: the device's id by the account's name (see `name_of`).
        session: the token of the session that the visitor has; only its own tries count.
    """

    client: Client
    signing_key: str = field(repr=False)
    devices: Mapping[str, str] = field(default_factory=dict)
    session: str = field(default="", repr=False)

    def known_to(self, account: DeviceAccount | None) -> Client:
        """The client as this account's limits count it."""
        device = self.devices.get(name_of(self.signing_key, account), "") if account else ""
        if self.session:
            device = hash_of(self.session)
        return Client(self.client.address, self.client.people, device)


def name_of(signing_key: str, account: DeviceAccount) -> str:
    """What a cookie calls this account. It ends with the account's password, and tells nothing of either."""
    parts = (account.kind, account.address, account.password_hash)
    return base64.urlsafe_b64encode(keyed_hash(signing_key, "devices", "\0".join(parts))[:15]).decode()


async def visitor_of(request: Request, settings: ShopSettings, ip: ClientIp) -> Visitor:
    """Who sends this request."""
    return Visitor(Client.at(ip, settings), settings.signing_key, _read(request, settings))


AnyVisitor = Annotated[Visitor, Depends(visitor_of)]


def remember_device(
    response: Response, settings: Settings, visitor: Visitor, account: DeviceAccount | None
) -> None:
    """Make the browser a known device of the account, whose owner it has just proved to be; nothing without one."""
    if account is None:
        return
    name = name_of(settings.signing_key, account)
    others = [(other, device) for other, device in visitor.devices.items() if other != name]
    devices = dict([(name, visitor.devices.get(name) or new_token()[:16]), *others][:MOST_ACCOUNTS])
    set_cookie(
        response,
        settings,
        COOKIE,
        _signer(settings).dumps(devices),
        seconds=int(LIFETIME.total_seconds()),
        path=PATH,
    )


def _read(request: Request, settings: Settings) -> dict[str, str]:
    cookie = read_cookie(request.cookies, settings, COOKIE, path=PATH)
    try:
        devices: dict[str, str] = _signer(settings).loads(cookie, max_age=int(LIFETIME.total_seconds()))
    except BadSignature:
        return {}
    return devices


def _signer(settings: Settings) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(settings.signing_key, salt=COOKIE)
