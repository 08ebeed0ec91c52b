"""For how long the certificate of an https address is good, as browsers see it."""

import asyncio
import ssl
from datetime import UTC, datetime
from urllib.parse import urlsplit

WITHIN = 10.0
"""Seconds."""


async def good_until(host: str, port: int) -> datetime:
    """Until when it is good.

    Raises:
        ssl.SSLCertVerificationError: browsers refuse it.
        OSError: no TLS there, or not in time.
    """
    async with asyncio.timeout(WITHIN):
        _reader, writer = await asyncio.open_connection(host, port, ssl=ssl.create_default_context())
    try:
        shown = writer.get_extra_info("peercert")
    finally:
        writer.close()
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(shown["notAfter"]), UTC)


async def days_left(url: str, moment: datetime) -> int | str:
    """For how many whole days the certificate of this https address is good, or why there is no good one."""
    address = urlsplit(url)
    try:
        until = await good_until(address.hostname or "", address.port or 443)
    except ssl.SSLCertVerificationError as error:
        return f"browsers refuse it: {error.verify_message}"
    except OSError as error:
        return f"no TLS at {address.netloc} ({type(error).__name__})"
    return (until - moment).days
