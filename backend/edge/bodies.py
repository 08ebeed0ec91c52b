"""Reading what strangers send."""

from fastapi import Request


async def body_up_to(request: Request, most: int) -> bytes:
    """The body, cut off at `most` bytes; the rest is read, as manners have it, and not kept."""
    body = bytearray()
    async for chunk in request.stream():
        if len(body) < most:
            body += chunk[: most - len(body)]
    return bytes(body)
