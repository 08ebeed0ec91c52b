"""What may stand in a frame of the websocket: what our pages send, and nothing else.

A page opens one namespace once, sends events and reports of errors in it, and leaves it. It sends nothing binary, and
neither asks for acknowledgements nor gives any. Socket.IO would take all of that.
"""

import re
from collections.abc import Callable
from functools import cache
from inspect import Signature, signature
from typing import Any

import reflex as rx
from reflex.utils.format import sanitize_client_log_value
from reflex_base.constants import CompileVars, Endpoint, SocketEvent
from reflex_base.event import EventHandler
from reflex_base.registry import RegistrationContext
from socketio.packet import CONNECT, EVENT, Packet

from backend.core.web.outside_values import to_storable
from storefront.reflex_ext.event_processor import PRESS

LONGEST_FRAME = 256 * 1024
"""Characters."""
PONG = "3"
"""The answer to a ping of Engine.IO."""
MESSAGES = ("40", "41", "42")
"""How a message of Engine.IO begins that has a packet of Socket.IO for us: a connect, a disconnect or an event."""
NAMESPACE = str(Endpoint.EVENT)
EVENTS = (SocketEvent.EVENT, SocketEvent.CLIENT_ERROR)
"""Not `connect` and `disconnect`: Socket.IO would hand them on as if it had sent them itself."""
LONGEST_NAME = 200
LONGEST_ADDRESS = 4096
"""Characters of a path with its query: what a document may have, too."""
MOST_PARAMETERS = 40
SETTER = ".setvar"
"""Reflex gives every state a handler that calls `set_…` of any name; no page of ours sends it."""
DEEPEST = 6
"""Levels of lists and objects in an event's payload."""
STORING = tuple(
    f"{rx.State.get_full_name()}.{handler}"
    for handler in (CompileVars.HYDRATE_AND_LOAD, CompileVars.UPDATE_VARS_INTERNAL)
)
"""The events that bring what a browser has stored for us."""
MOST_STORED = 10
LONGEST_STORED = 500
"""Characters of one value."""


PRESS_ID = re.compile(r"[0-9a-f]{32}")
"""A random number of 128 bits."""
MOST_PRESSES = 40
"""That a page sends again: see `MAX_PRESSES` in `assets/scripts/presses.js`."""


class Refused(Exception):
    """What a frame has that no page of ours sends."""


def checked_packet(frame: str) -> Packet | None:
    """The packet of Socket.IO in a frame of Engine.IO; None when it is the answer to a ping.

    Raises:
        Refused: no page of ours sends it.
    """
    if frame == PONG:
        return None
    if len(frame) > LONGEST_FRAME:
        raise Refused("is too long")
    if not frame.startswith(MESSAGES):
        raise Refused("is of a kind that no page sends")
    try:
        packet = Packet(encoded_packet=frame[1:])
    except (ValueError, RecursionError) as error:
        raise Refused("cannot be read") from error
    if packet.namespace != NAMESPACE or packet.id is not None:
        raise Refused("is for nobody here")
    if packet.packet_type == EVENT and not _is_event(packet.data):
        raise Refused("is no event of a page")
    return packet


def connects(packet: Packet | None) -> bool:
    """Whether the packet opens the namespace."""
    return packet is not None and packet.packet_type == CONNECT


def checked_event(data: Any) -> dict[str, Any]:
    """An event that our pages could have sent, with nothing else in it.

    Raises:
        Refused: it is none.
    """
    if not isinstance(data, dict):
        raise Refused("is no event")
    name, payload = data.get("name"), data.get("payload", {})
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        raise Refused("names no event")
    registered = RegistrationContext.get().event_handlers.get(name)
    if registered is None or name.endswith(SETTER):
        raise Refused(f"names an event that there is not: {sanitize_client_log_value(name, max_length=80)}")
    if not isinstance(payload, dict):
        raise Refused("has a payload that is no object")
    _require_shallow(payload)
    payload = to_storable(payload)  # a field cut to its length may end in half an emoji
    _require_arguments(registered.handler.fn, payload)
    if name in STORING and payload.get("vars") is not None:
        payload = {**payload, "vars": checked_stored(payload["vars"])}
    if "press" in data:
        payload = {**payload, PRESS: _checked_press(data["press"], registered.handler)}
    address = to_storable(checked_address(data.get("router_data")))
    return {"name": name, "payload": payload, "router_data": address}


def _checked_press(press_id: Any, handler: EventHandler) -> str:
    """The id of a press.

    Raises:
        Refused: it is none, or the event is no press.
    """
    if (
        not isinstance(press_id, str)
        or not PRESS_ID.fullmatch(press_id)
        or "press" not in handler.event_actions
    ):
        raise Refused("has a press that is none")
    return press_id


def press_id_of(data: Any) -> str:
    """The id of the press that an event was sent as, though it may be none of ours; empty without one."""
    press_id = data.get("press") if isinstance(data, dict) else None
    return press_id if isinstance(press_id, str) and PRESS_ID.fullmatch(press_id) else ""


def _require_arguments(handler: Callable[..., Any], payload: dict[str, Any]) -> None:
    """Refuse arguments that the event's handler does not take, and an event without those that it needs."""
    try:
        _signature_of(handler).bind(None, **payload)
    except TypeError as error:
        raise Refused("has other arguments than its event") from error


@cache
def _signature_of(handler: Callable[..., Any]) -> Signature:
    return signature(handler)


def checked_stored(stored: Any) -> dict[str, str]:
    """What a browser has stored for our states. All of it is text: what is missing or too long is empty.

    Raises:
        Refused: no browser stores such a thing for us.
    """
    if not isinstance(stored, dict) or len(stored) > MOST_STORED:
        raise Refused("brings what no browser stores")
    if not all(value is None or isinstance(value, str) for value in stored.values()):
        raise Refused("brings what no browser stores")
    return {name: value if value and len(value) <= LONGEST_STORED else "" for name, value in stored.items()}


def checked_address(router_data: Any) -> dict[str, Any]:
    """Where the browser says that it is: `{pathname, asPath, query}`, nothing else.

    Raises:
        Refused: it is no address within the shop.
    """
    if router_data is None or router_data == {}:
        return {}
    if not isinstance(router_data, dict):
        raise Refused("has an address that is no object")
    checked: dict[str, Any] = {}
    for key in ("pathname", "asPath"):
        if key in router_data:
            checked[key] = _path(router_data[key])
    query = router_data.get("query", {})
    if not isinstance(query, dict) or len(query) > MOST_PARAMETERS:
        raise Refused("has a query that is none")
    # the parts of an address that leads nowhere, as Reflex sends them: nobody reads them
    query = {name: value for name, value in query.items() if name != "splat" or isinstance(value, str)}
    if not all(isinstance(text, str) and len(text) <= LONGEST_ADDRESS for text in (*query, *query.values())):
        raise Refused("has a query that is none")
    if query:
        checked["query"] = dict(query)
    return checked


def checked_boot(auth: Any) -> Any:
    """What a browser sends with its first frame: the page's first event and the shape of its state.

    Raises:
        Refused: the event is none of ours.
    """
    if not isinstance(auth, dict):
        return None
    checked: dict[str, Any] = {}
    if CompileVars.CONNECT_AUTH_EVENT in auth:
        checked[CompileVars.CONNECT_AUTH_EVENT] = checked_event(auth[CompileVars.CONNECT_AUTH_EVENT])
    schema = auth.get(CompileVars.CONNECT_AUTH_STATE_SCHEMA)
    if schema is not None:
        if not isinstance(schema, str) or len(schema) > LONGEST_NAME:
            raise Refused("begins with what is no event")
        checked[CompileVars.CONNECT_AUTH_STATE_SCHEMA] = schema
    return checked


def boot_presses(auth: Any) -> list[Any]:
    """The presses that a browser sends again with its first frame, to be checked one by one.

    Raises:
        Refused: no page of ours has so many.
    """
    presses = auth.get("presses", []) if isinstance(auth, dict) else []
    if not isinstance(presses, list) or len(presses) > MOST_PRESSES:
        raise Refused("brings what are no presses")
    return presses


def _is_event(data: Any) -> bool:
    return isinstance(data, list) and len(data) == 2 and data[0] in EVENTS


def _path(value: Any) -> str:
    if not isinstance(value, str) or not value.startswith("/") or len(value) > LONGEST_ADDRESS:
        raise Refused("has an address that is none of the shop's")
    return value


def _require_shallow(value: Any, depth: int = 0) -> None:
    """Refuse a JSON value that is deeper than any of ours.

    Raises:
        Refused: it is.
    """
    if depth > DEEPEST:
        raise Refused("has a payload that is too deep")
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            _require_shallow(part, depth + 1)
