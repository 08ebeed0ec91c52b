"""What a check found: one line, and what to do about it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from enum import StrEnum

from backend.core.errors import ShopError

log = logging.getLogger(__name__)

LONGEST = 20.0
"""Seconds that one check may take, whatever it waits for."""


class Status(StrEnum):
    """How a thing is."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Finding:
    """How one thing is, in one line; of a warning or a failure the line says what to do."""

    name: str
    status: Status
    message: str


def ok(name: str, message: str) -> Finding:
    """It is as it should be."""
    return Finding(name, Status.OK, message)


def warning(name: str, message: str) -> Finding:
    """The shop works, and somebody should look at it."""
    return Finding(name, Status.WARNING, message)


def failure(name: str, message: str) -> Finding:
    """The shop does not work, or not as its owner thinks."""
    return Finding(name, Status.FAILURE, message)


Check = Callable[[], AsyncIterator[Finding]]


async def run_check(name: str, check: Check, seconds: float = LONGEST) -> list[Finding]:
    """What the check finds. One that fails or takes too long is a finding of its own; nothing of the error's text is
    shown that is not ours, as it may hold an address with a key.
    """  # noqa: D205
    found: list[Finding] = []
    try:
        async with asyncio.timeout(seconds):
            async for finding in check():
                found.append(finding)
    except TimeoutError:
        found.append(
            failure(name, f"no answer within {seconds:g} seconds: look at the network and the address")
        )
    except ShopError as error:
        found.append(failure(name, error.message))
    except Exception as error:
        log.debug("the check %s failed", name, exc_info=True)
        found.append(failure(name, f"could not be looked at ({type(error).__name__})"))
    return found
