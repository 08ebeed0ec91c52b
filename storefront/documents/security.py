"""What a browser may do on our pages, and what others may do with them."""

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.settings import Settings

A_YEAR = 31_536_000
EXECUTABLE = re.compile(r'<script(?: (?:id="[^"]*"|type="module"|async=""))*>(.*?)</script>', re.DOTALL)
"""The inline scripts that run. Data (`application/json`) and files (`src`) are none."""

FOR_EVERY_ANSWER = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "strict-origin-when-cross-origin",
}
FOR_DOCUMENTS = {
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": (
        "accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "
        "magnetometer=(), microphone=(), payment=(), usb=()"
    ),
    "x-frame-options": "DENY",
}


def with_safety(app: ASGIApp) -> ASGIApp:
    """The app, with the headers that every answer needs, whoever gives it."""

    async def safe(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in FOR_EVERY_ANSWER.items():
                    headers.setdefault(name, value)
            await send(message)

        await app(scope, receive, send_with_headers if scope["type"] == "http" else send)

    return safe


def inline_scripts(html: str) -> list[str]:
    """The texts of the inline scripts that a document runs."""
    return EXECUTABLE.findall(html)


def content_policy(settings: Settings, scripts: Iterable[str]) -> str:
    """The Content-Security-Policy of a document that runs these inline scripts and no others.

    Styles may stand inside the page: the components' measures are `style` attributes, and Emotion writes its rules into
    the page while it runs. Pictures may come from elsewhere, as the catalogue's addresses may.
    """
    hashes = sorted(
        {f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts}
    )
    own_socket = "ws" + settings.base_url.removeprefix("http")  # 'self' covers it, except in older Safaris
    rules = [
        "default-src 'self'",
        " ".join(["script-src 'self'", *hashes]),
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: https:",
        f"connect-src 'self' {own_socket}",
        "object-src 'none'",
        "frame-src 'none'",
        "worker-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
    if settings.base_url.startswith("https://"):
        rules.append("upgrade-insecure-requests")
    return "; ".join(rules)
