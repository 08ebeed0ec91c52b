"""Events of the office's screens in tests."""

from typing import Any


async def send_event(screen: Any, name: str, *arguments: Any) -> Any:
    """Call an event handler of the screen as a browser does."""
    return await type(screen).event_handlers[name].fn(screen, *arguments)
