"""A small OpenID provider that follows the protocol. A test can make it send wrong claims or a wrong signature."""

import base64
import hashlib
import secrets
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT_ID, CLIENT_SECRET = "trompo.apps.test", "a secret of the client"


@dataclass
class OpenIdProvider:
    """A provider that signs every user in as `person`. `claim_overrides` overrides claims of its ID tokens."""

    issuer: str
    person: dict[str, Any] = field(
        default_factory=lambda: {
            "sub": "10769150350006150715113082367",
            "email": "ana@example.com",
            "email_verified": True,
            "given_name": "Ana María",
            "family_name": "Gómez",
        }
    )
    claim_overrides: dict[str, Any] = field(default_factory=dict)
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one", "use": "sig"}))
    signing_key: RSAKey | None = None
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    authorization_requests: list[dict[str, str]] = field(default_factory=list)

    def app(self) -> Starlette:
        """Return the provider as an ASGI app."""
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._discover),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/keys", self._keys),
            ]
        )

    async def _discover(self, _request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
            }
        )

    async def _authorize(self, request: Request) -> Response:
        parameters = dict(request.query_params)
        self.authorization_requests.append(parameters)
        code = secrets.token_urlsafe()
        self.codes[code] = parameters
        return RedirectResponse(
            f"{parameters['redirect_uri']}?{urlencode({'code': code, 'state': parameters['state']})}", 303
        )

    async def _token(self, request: Request) -> Response:
        form = await request.form()
        authorized = self.codes.pop(str(form.get("code")), None)
        hashed = hashlib.sha256(str(form.get("code_verifier")).encode()).digest()
        challenge = base64.urlsafe_b64encode(hashed).rstrip(b"=").decode()
        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        is_right = (
            authorized is not None
            and request.headers.get("authorization") == f"Basic {basic}"
            and authorized["code_challenge_method"] == "S256"
            and authorized["code_challenge"] == challenge
            and authorized["redirect_uri"] == form.get("redirect_uri")
        )
        if authorized is None or not is_right:
            return JSONResponse({"error": "invalid_grant"}, 400)
        moment = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": moment,
            "exp": moment + 600,
            "nonce": authorized["nonce"],
            **self.person,
            **self.claim_overrides,
        }
        token = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.signing_key or self.key)
        return JSONResponse({"access_token": "unused", "token_type": "Bearer", "id_token": token})

    async def _keys(self, _request: Request) -> Response:
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})
