"""Sending of signed calls to URLs that staff entered. Only public internet addresses are called.

No redirect is followed, no proxy of the environment is used, and each call has its own connection, so that no call
uses a connection whose certificate was checked for another name.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import httpx

from backend.core.errors import OutsideFailure
from backend.core.threads import Threads
from backend.core.web.http_client import get_ssl_context
from backend.core.web.public_addresses import Ip, PrivateAddress, UnusableAddress, pin_request, resolve_host

MAX_URL_LENGTH, MAX_PORT = 500, 65_535
RESOLVERS = Threads("webhook names", 10)
"""Threads that resolve host names. A name that is resolved slowly must not delay the others."""
RESOLVE_TIMEOUT_S = 5.0


class NotCallable(OutsideFailure):
    """The URL cannot be called: it is malformed, its host is unknown, or an address of its host is not public.

    Attributes:
        is_private: True if an address is not public.
    """

    def __init__(self, message: str, *, is_private: bool = False) -> None:
        super().__init__(message)
        self.is_private = is_private


@dataclass(frozen=True, slots=True)
class OutsideAnswer:
    """The status of an answer, and the beginning of its body."""

    status: int
    text: str

    @property
    def is_success(self) -> bool:
        """True if the status is from 200 to 299."""
        return 200 <= self.status <= 299


@dataclass(frozen=True, slots=True)
class OutsideTarget:
    """A URL, and the checked addresses of its host."""

    url: httpx.URL
    ips: Sequence[Ip]

    async def post(
        self, content: bytes, headers: Mapping[str, str], *, timeout_s: float, max_bytes: int
    ) -> OutsideAnswer:
        """Send one call, and read at most `max_bytes` of the answer.

        Raises:
            OutsideFailure: there is no answer within the timeout.
        """
        try:
            async with (
                asyncio.timeout(timeout_s),
                httpx.AsyncClient(
                    verify=get_ssl_context(), trust_env=False, follow_redirects=False, timeout=timeout_s
                ) as client,
            ):
                return await self._post(client, content, headers, max_bytes)
        except (httpx.HTTPError, TimeoutError) as error:
            raise OutsideFailure(f"no answer ({type(error).__name__})") from None

    async def _post(
        self, client: httpx.AsyncClient, content: bytes, headers: Mapping[str, str], max_bytes: int
    ) -> OutsideAnswer:
        for place, ip in enumerate(self.ips):
            pinned = pin_request(self.url, ip)
            pinned["headers"] = {**headers, **pinned["headers"]}
            request = client.build_request("POST", **pinned, content=content)
            try:
                answer = await client.send(request, stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                if place == len(self.ips) - 1:
                    raise
                continue
            try:
                return OutsideAnswer(answer.status_code, await _read_beginning(answer, max_bytes))
            finally:
                await answer.aclose()
        raise OutsideFailure("no answer (no address)")


async def resolve_target(address: str, *, allow_private: bool = False) -> OutsideTarget:
    """Check that the URL uses https and its host is public. Return it with the IP addresses of its host.

    With `allow_private`, http URLs and hosts of this machine and its networks are accepted too.

    Raises:
        NotCallable: the URL cannot be called.
    """
    try:
        url = httpx.URL(address)
    except (httpx.InvalidURL, UnicodeError):
        raise NotCallable("it is not a web address") from None
    schemes = ("https", "http") if allow_private else ("https",)
    is_port = url.port is None or 0 < url.port <= MAX_PORT
    if url.scheme not in schemes or not url.host or url.userinfo or not is_port:
        raise NotCallable("it must begin with https://, have a host, and have no user name")
    if len(address) > MAX_URL_LENGTH:
        raise NotCallable(f"it must not be longer than {MAX_URL_LENGTH} characters")
    try:
        async with asyncio.timeout(RESOLVE_TIMEOUT_S):
            ips = await RESOLVERS.run(resolve_host, url, allow_private=allow_private)
    except PrivateAddress as error:
        raise NotCallable(f"it {error}", is_private=True) from None
    except UnusableAddress as error:
        raise NotCallable(f"it {error}") from None
    except TimeoutError:
        raise NotCallable("it does not answer (its name is not known)") from None
    return OutsideTarget(url.copy_with(fragment=None), ips)


async def _read_beginning(answer: httpx.Response, max_bytes: int) -> str:
    """Return the beginning of the body; empty if it is compressed, which was not requested."""
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        return ""
    content = bytearray()
    async for piece in answer.aiter_raw():
        content += piece
        if len(content) >= max_bytes:
            break
    return bytes(content[:max_bytes]).decode("utf-8", "replace")
