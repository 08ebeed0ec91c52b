"""Security headers of responses and documents. They limit what browsers and other sites may do with the pages."""

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.core.config.settings import Settings

YEAR_S = 31_536_000
EXECUTABLE = re.compile(r'<script(?: (?:id="[^"]*"|type="module"|async=""))*>(.*?)</script>', re.DOTALL)
"""Inline scripts that run. Data (`application/json`) and scripts with `src` do not match."""

RESPONSE_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "strict-origin-when-cross-origin",
}
DOCUMENT_HEADERS = {
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": (
        "accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "
        "magnetometer=(), microphone=(), payment=(), usb=()"
    ),
    "x-frame-options": "DENY",
}
OFFICE_HEADERS = {
    **DOCUMENT_HEADERS,
    "cache-control": "no-store",
    "permissions-policy": DOCUMENT_HEADERS["permissions-policy"].replace("camera=()", "camera=(self)"),
    "x-robots-tag": "noindex,nofollow",
}
"""Headers of the office's documents. Browsers must not store these documents.

The camera is allowed, because staff take pictures and scan codes with it.
"""


def with_security_headers(app: ASGIApp, settings: Settings) -> ASGIApp:
    """Wrap the app so that every response has the security headers."""
    wanted = response_headers(settings)

    async def secured(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in wanted.items():
                    headers.setdefault(name, value)
            await send(message)

        await app(scope, receive, send_with_headers if scope["type"] == "http" else send)

    return secured


def response_headers(settings: Settings) -> dict[str, str]:
    """Return the security headers of every response.

    If the shop has an https address, browsers are instructed to use only https for a year (RFC 6797). Subdomains
    are not included, because they may belong to others.
    """
    if not settings.base_url.startswith("https://"):
        return RESPONSE_HEADERS
    return {**RESPONSE_HEADERS, "strict-transport-security": f"max-age={YEAR_S}"}


def inline_scripts(html: str) -> list[str]:
    """Return the texts of the inline scripts that a document runs."""
    return EXECUTABLE.findall(html)


def hash_scripts(scripts: Iterable[str]) -> list[str]:
    """Return the sources of a Content-Security-Policy that allow these inline scripts, sorted."""
    return sorted({f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts})


def content_policy(settings: Settings, scripts: Iterable[str], *, in_office: bool = False) -> str:
    """Return the Content-Security-Policy of a document that runs exactly these inline scripts.

    Inline styles are allowed, because components have `style` attributes and Emotion writes its rules into the page
    at run time. Pictures may come from any https site, because the catalog may contain such URLs. In the office,
    `blob:` URLs are also allowed, for example for a picture during its upload.
    """
    own_socket = "ws" + settings.base_url.removeprefix("http")  # 'self' covers it, except in older Safaris
    rules = [
        "default-src 'self'",
        " ".join(["script-src 'self'", *hash_scripts(scripts)]),
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: https: blob:" if in_office else "img-src 'self' data: https:",
        "media-src 'self'",
        f"connect-src 'self' {own_socket}",
        "manifest-src 'self'",
        "object-src 'none'",
        "frame-src 'none'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
    if settings.base_url.startswith("https://"):
        rules.append("upgrade-insecure-requests")
    return "; ".join(rules)
