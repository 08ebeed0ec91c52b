"""Known devices: each has separate rate limits, so that wrong attempts of strangers do not lock it out.

A browser stores a signed cookie, also after signing out, with a random id for each of its recent accounts. The only
effect of the id is that wrong passwords and requested links of this browser are counted separately
(`backend.rate_limit.limiter.Client.device`). In the cookie, an account is named by a keyed hash of its address and
its password's hash. So after a change of the password, no device is known any more.
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
from backend.core.web.passwords import hash_token, new_token
from backend.core.web.signing import keyed_hash
from backend.edge.auth.cookies import read_cookie, set_cookie
from backend.edge.dependencies import ClientIp, ShopSettings
from backend.rate_limit.limiter import Client

COOKIE = "trompo_device"
PATH = "/auth"
LIFETIME = timedelta(days=365)
MAX_ACCOUNTS = 5
"""Maximum number of accounts for which one browser can be a known device. The most recent accounts are kept."""


@dataclass(frozen=True, slots=True)
class DeviceAccount:
    """An account that remembers devices: its kind, its address, and the hash of its current password."""

    kind: str
    address: str
    password_hash: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Visitor:
    """A visitor who wants to sign in.

    Attributes:
        client: the client whose attempts are counted if the device is unknown.
        signing_key: the shop's signing key.
        devices: the browser's device id at each account that knows the browser, by `hash_account` of the account.
        session: the token of the visitor's session. Attempts of a session are counted separately.
    """

    client: Client
    signing_key: str = field(repr=False)
    devices: Mapping[str, str] = field(default_factory=dict)
    session: str = field(default="", repr=False)

    def client_for(self, account: DeviceAccount | None) -> Client:
        """Return the client whose attempts are counted when this visitor signs in to the account."""
        device = self.devices.get(hash_account(self.signing_key, account), "") if account else ""
        if self.session:
            device = hash_token(self.session)
        return Client(self.client.address, self.client.max_people, device)


def hash_account(signing_key: str, account: DeviceAccount) -> str:
    """Return the name that identifies this account in a cookie.

    The name changes with the password, and it reveals neither address nor password.
    """
    parts = (account.kind, account.address, account.password_hash)
    return base64.urlsafe_b64encode(keyed_hash(signing_key, "devices", "\0".join(parts))[:15]).decode()


async def read_visitor(request: Request, settings: ShopSettings, ip: ClientIp) -> Visitor:
    """Return the visitor who sends this request."""
    return Visitor(Client.from_ip(ip, settings), settings.signing_key, _read_devices(request, settings))


CurrentVisitor = Annotated[Visitor, Depends(read_visitor)]


def remember_device(
    response: Response, settings: Settings, visitor: Visitor, account: DeviceAccount | None
) -> None:
    """Make the browser a known device of the account that was just signed in to. Do nothing without an account."""
    if account is None:
        return
    name = hash_account(settings.signing_key, account)
    others = [(other, device) for other, device in visitor.devices.items() if other != name]
    devices = dict([(name, visitor.devices.get(name) or new_token()[:16]), *others][:MAX_ACCOUNTS])
    set_cookie(
        response,
        settings,
        COOKIE,
        _signer(settings).dumps(devices),
        seconds=int(LIFETIME.total_seconds()),
        path=PATH,
    )


def _read_devices(request: Request, settings: Settings) -> dict[str, str]:
    cookie = read_cookie(request.cookies, settings, COOKIE, path=PATH)
    try:
        devices: dict[str, str] = _signer(settings).loads(cookie, max_age=int(LIFETIME.total_seconds()))
    except BadSignature:
        return {}
    return devices


def _signer(settings: Settings) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(settings.signing_key, salt=COOKIE)
