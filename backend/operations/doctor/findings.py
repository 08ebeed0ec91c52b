"""Result of a check: one line in the store's language, which also says how to correct a problem."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from enum import StrEnum

from backend.core.errors import ShopError
from backend.core.texts import _

log = logging.getLogger(__name__)

CHECK_TIMEOUT_S = 20.0
"""Time that one check may take, including all waiting."""


class Status(StrEnum):
    """Severity of a finding."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a check in one line. The line of a warning or failure also says how to correct the problem.

    Attributes:
        name: technical name of the check, for programs; a key of `command.CHECK_NAMES`.
        message: the line, in the store's language.
    """

    name: str
    status: Status
    message: str


def ok(name: str, message: str) -> Finding:
    """Return a finding without a problem."""
    return Finding(name, Status.OK, message)


def warning(name: str, message: str) -> Finding:
    """Return a finding about a problem that does not stop the shop, but that a person should look at."""
    return Finding(name, Status.WARNING, message)


def failure(name: str, message: str) -> Finding:
    """Return a finding about a problem that stops the shop, or makes it work differently from what its owner wants."""
    return Finding(name, Status.FAILURE, message)


Check = Callable[[], AsyncIterator[Finding]]


async def run_check(name: str, check: Check, seconds: float = CHECK_TIMEOUT_S) -> list[Finding]:
    """Run a check and return its findings.

    If the check raises or takes too long, a failure is added to its findings. Only error texts of the shop itself
    are included, because other texts may contain an address with a key. They are in English, like the logs.
    """
    found: list[Finding] = []
    try:
        async with asyncio.timeout(seconds):
            async for finding in check():
                found.append(finding)
    except TimeoutError:
        found.append(
            failure(
                name, _("no respondió en {n} segundos: revisa la red y la dirección").format(n=f"{seconds:g}")
            )
        )
    except ShopError as error:
        found.append(failure(name, _("no respondió bien: {reason}").format(reason=error.message)))
    except Exception as error:
        log.debug("the check %s failed", name, exc_info=True)
        found.append(failure(name, _("no se pudo revisar ({error})").format(error=type(error).__name__)))
    return found
