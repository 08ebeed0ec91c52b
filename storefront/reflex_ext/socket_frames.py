"""Validation of websocket frames: only frames that the shop's pages send are accepted.

A page opens one namespace once, sends events and error reports in it, and leaves it. It sends nothing binary, and
neither requests nor sends acknowledgements. Socket.IO would accept all of these.
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

MAX_FRAME_LENGTH = 256 * 1024
"""Maximum number of characters of a frame."""
PONG = "3"
"""The answer to a ping of Engine.IO."""
MESSAGES = ("40", "41", "42")
"""Starts of Engine.IO messages with a Socket.IO packet: connect, disconnect or event."""
NAMESPACE = str(Endpoint.EVENT)
EVENTS = (SocketEvent.EVENT, SocketEvent.CLIENT_ERROR)
"""Accepted events.

`connect` and `disconnect` are excluded: Socket.IO would process them as if it had sent them itself.
"""
MAX_NAME_LENGTH = 200
MAX_ADDRESS_LENGTH = 4096
"""Maximum number of characters of a path with its query. The limit for a document's address is the same."""
MAX_PARAMETERS = 40
SETTER = ".setvar"
"""Ending of the name of an event that sets any variable of a state.

Reflex accepts it for every state; no page sends it.
"""
MAX_DEPTH = 6
"""Maximum nesting of lists and objects in an event's payload."""
STORING = tuple(
    f"{rx.State.get_full_name()}.{handler}"
    for handler in (CompileVars.HYDRATE_AND_LOAD, CompileVars.UPDATE_VARS_INTERNAL)
)
"""The events that contain the values that a browser has stored for the shop's states."""
MAX_STORED_VALUES = 10
MAX_STORED_LENGTH = 500
"""Maximum number of characters of one stored value."""


PRESS_ID = re.compile(r"[0-9a-f]{32}")
"""Pattern of the id of a press: a random number of 128 bits."""
MAX_RESENT_PRESSES = 40
"""Maximum number of presses that a page sends again: see `MAX_PRESSES` in `assets/scripts/presses.js`."""


class FrameRefused(Exception):
    """A frame contains something that no page of the shop sends."""


def parse_packet(frame: str) -> Packet | None:
    """Return the Socket.IO packet in an Engine.IO frame; None for the answer to a ping.

    Raises:
        FrameRefused: no page of the shop sends such a frame.
    """
    if frame == PONG:
        return None
    if len(frame) > MAX_FRAME_LENGTH:
        raise FrameRefused("is too long")
    if not frame.startswith(MESSAGES):
        raise FrameRefused("is of a kind that no page sends")
    try:
        packet = Packet(encoded_packet=frame[1:])
    except (ValueError, RecursionError) as error:
        raise FrameRefused("cannot be read") from error
    if packet.namespace != NAMESPACE or packet.id is not None:
        raise FrameRefused("is for an unknown namespace")
    if packet.packet_type == EVENT and not _is_event(packet.data):
        raise FrameRefused("is no event of a page")
    return packet


def opens_namespace(packet: Packet | None) -> bool:
    """Return True if the packet is Socket.IO's request to connect to the namespace."""
    return packet is not None and packet.packet_type == CONNECT


def parse_event(data: Any) -> dict[str, Any]:
    """Return the event with only the parts that the shop's pages send.

    Raises:
        FrameRefused: no page of the shop sends such an event.
    """
    if not isinstance(data, dict):
        raise FrameRefused("is no event")
    name, payload = data.get("name"), data.get("payload", {})
    if not isinstance(name, str) or len(name) > MAX_NAME_LENGTH:
        raise FrameRefused("names no event")
    registered = RegistrationContext.get().event_handlers.get(name)
    if registered is None or name.endswith(SETTER):
        raise FrameRefused(
            f"names an event that there is not: {sanitize_client_log_value(name, max_length=80)}"
        )
    if not isinstance(payload, dict):
        raise FrameRefused("has a payload that is no object")
    _require_shallow(payload)
    payload = to_storable(payload)  # a truncated field may end in half an emoji
    _require_arguments(registered.handler.fn, payload)
    if name in STORING and payload.get("vars") is not None:
        payload = {**payload, "vars": parse_stored_values(payload["vars"])}
    if "press" in data:
        payload = {**payload, PRESS: _parse_press_id(data["press"], registered.handler)}
    address = to_storable(parse_browser_address(data.get("router_data")))
    return {"name": name, "payload": payload, "router_data": address}


def _parse_press_id(press_id: Any, handler: EventHandler) -> str:
    """Return the id of a press.

    Raises:
        FrameRefused: the id is invalid, or the event is no press.
    """
    if (
        not isinstance(press_id, str)
        or not PRESS_ID.fullmatch(press_id)
        or "press" not in handler.event_actions
    ):
        raise FrameRefused("has a press that is none")
    return press_id


def press_id_of(data: Any) -> str:
    """Return the id of the press in the data of any event, which may be invalid; empty if there is none."""
    press_id = data.get("press") if isinstance(data, dict) else None
    return press_id if isinstance(press_id, str) and PRESS_ID.fullmatch(press_id) else ""


def _require_arguments(handler: Callable[..., Any], payload: dict[str, Any]) -> None:
    """Check that the event has all required arguments of its handler, and no unknown ones.

    Raises:
        FrameRefused: the arguments do not match the handler.
    """
    try:
        _signature_of(handler).bind(None, **payload)
    except TypeError as error:
        raise FrameRefused("has other arguments than its event") from error


@cache
def _signature_of(handler: Callable[..., Any]) -> Signature:
    return signature(handler)


def parse_stored_values(stored: Any) -> dict[str, str]:
    """Return the values that a browser has stored for the shop's states, as texts.

    A missing value, or a value that is too long, becomes an empty text.

    Raises:
        FrameRefused: a page of the shop cannot have stored such values.
    """
    if not isinstance(stored, dict) or len(stored) > MAX_STORED_VALUES:
        raise FrameRefused("brings what no browser stores")
    if not all(value is None or isinstance(value, str) for value in stored.values()):
        raise FrameRefused("brings what no browser stores")
    return {
        name: value if value and len(value) <= MAX_STORED_LENGTH else "" for name, value in stored.items()
    }


def parse_browser_address(router_data: Any) -> dict[str, Any]:
    """Return the browser's address with only the keys `pathname`, `asPath` and `query`.

    Raises:
        FrameRefused: the value is no address within the shop.
    """
    if router_data is None or router_data == {}:
        return {}
    if not isinstance(router_data, dict):
        raise FrameRefused("has an address that is no object")
    checked: dict[str, Any] = {}
    for key in ("pathname", "asPath"):
        if key in router_data:
            checked[key] = _path(router_data[key])
    query = router_data.get("query", {})
    if not isinstance(query, dict) or len(query) > MAX_PARAMETERS:
        raise FrameRefused("has a query that is none")
    # the parts of an unknown address, as Reflex sends them; they are not used
    query = {name: value for name, value in query.items() if name != "splat" or isinstance(value, str)}
    if not all(
        isinstance(text, str) and len(text) <= MAX_ADDRESS_LENGTH for text in (*query, *query.values())
    ):
        raise FrameRefused("has a query that is none")
    if query:
        checked["query"] = dict(query)
    return checked


def parse_first_frame(auth: Any) -> Any:
    """Return the page's first event and its state's digest from a browser's first frame; None without data.

    Raises:
        FrameRefused: no page of the shop sends such an event.
    """
    if not isinstance(auth, dict):
        return None
    checked: dict[str, Any] = {}
    if CompileVars.CONNECT_AUTH_EVENT in auth:
        checked[CompileVars.CONNECT_AUTH_EVENT] = parse_event(auth[CompileVars.CONNECT_AUTH_EVENT])
    schema = auth.get(CompileVars.CONNECT_AUTH_STATE_SCHEMA)
    if schema is not None:
        if not isinstance(schema, str) or len(schema) > MAX_NAME_LENGTH:
            raise FrameRefused("begins with what is no event")
        checked[CompileVars.CONNECT_AUTH_STATE_SCHEMA] = schema
    return checked


def read_first_presses(auth: Any) -> list[Any]:
    """Return the presses that a browser sends again with its first frame. They are not validated yet.

    Raises:
        FrameRefused: there are more presses than a page of the shop sends.
    """
    presses = auth.get("presses", []) if isinstance(auth, dict) else []
    if not isinstance(presses, list) or len(presses) > MAX_RESENT_PRESSES:
        raise FrameRefused("brings what are no presses")
    return presses


def _is_event(data: Any) -> bool:
    return isinstance(data, list) and len(data) == 2 and data[0] in EVENTS


def _path(value: Any) -> str:
    if not isinstance(value, str) or not value.startswith("/") or len(value) > MAX_ADDRESS_LENGTH:
        raise FrameRefused("has an address that is none of the shop's")
    return value


def _require_shallow(value: Any, depth: int = 0) -> None:
    """Check that a JSON value is not nested deeper than those of the shop's pages.

    Raises:
        FrameRefused: it is nested too deeply.
    """
    if depth > MAX_DEPTH:
        raise FrameRefused("has a payload that is too deep")
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            _require_shallow(part, depth + 1)
