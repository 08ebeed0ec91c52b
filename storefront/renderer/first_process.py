"""The first renderer's process, started before the app is imported: Node starts while Python imports."""

import logging
from pathlib import Path

from storefront.renderer.process import RendererProcess

log = logging.getLogger(__name__)
_started: list[RendererProcess] = []


async def start_early(script: Path) -> None:
    """Start a process that `take_early` gives to whoever renders. Where it cannot start, that is said there."""
    try:
        _started.append(await RendererProcess.start(script))
    except OSError:
        log.debug("no renderer could be started early")


def take_early() -> RendererProcess | None:
    """The process that was started early, once. It belongs to the event loop that it was started in."""
    return _started.pop() if _started else None
