"""Validity of the certificate of an https address, as browsers check it."""

import asyncio
import ssl
from datetime import UTC, datetime
from urllib.parse import urlsplit

from backend.core.texts import _

CONNECT_TIMEOUT_S = 10.0
"""Timeout of the connection."""


async def read_certificate_expiry(host: str, port: int) -> datetime:
    """Return the time at which the certificate expires.

    Raises:
        ssl.SSLCertVerificationError: browsers refuse the certificate.
        OSError: there is no TLS at this address, or no answer in time.
    """
    async with asyncio.timeout(CONNECT_TIMEOUT_S):
        _reader, writer = await asyncio.open_connection(host, port, ssl=ssl.create_default_context())
    try:
        peer_certificate = writer.get_extra_info("peercert")
    finally:
        writer.close()
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(peer_certificate["notAfter"]), UTC)


async def count_days_left(url: str, moment: datetime) -> int | str:
    """Return the number of whole days until the certificate of an https URL expires.

    If browsers refuse the certificate or the server does not answer, return this problem as a sentence.
    """
    address = urlsplit(url)
    try:
        until = await read_certificate_expiry(address.hostname or "", address.port or 443)
    except ssl.SSLCertVerificationError as error:
        return _("Los navegadores lo rechazan ({reason}).").format(reason=error.verify_message)
    except OSError:
        return _("{address} no responde con https.").format(address=address.netloc)
    return (until - moment).days
