"""Helpers that open screens of the office and send them events."""

from typing import Any

from backend.staff.rights import Role
from tests.storefront.office.conftest import BrowserFactory


async def open_screen(browser_of: BrowserFactory, role: Role, path: str, state: type[Any]) -> Any:
    """Sign in with the role, open the address, load the screen, and return its state."""
    root = await browser_of(role, path)
    screen: Any = await root.get_state(state)
    await send_event(screen, "load")
    return screen


async def send_event(screen: Any, name: str, *arguments: Any) -> Any:
    """Call an event handler of the screen as a browser does."""
    return await type(screen).event_handlers[name].fn(screen, *arguments)
