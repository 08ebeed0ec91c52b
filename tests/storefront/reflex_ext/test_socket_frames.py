"""Frames that our pages send are accepted unchanged; all others are refused before they have an effect."""

import json
from typing import Any

import pytest
from reflex_base.registry import RegistrationContext

from storefront.reflex_ext.event_processor import PRESS
from storefront.reflex_ext.socket_frames import (
    MAX_FRAME_LENGTH,
    MAX_RESENT_PRESSES,
    MAX_STORED_LENGTH,
    MAX_STORED_VALUES,
    STORING,
    FrameRefused,
    opens_namespace,
    parse_browser_address,
    parse_event,
    parse_packet,
    press_id_of,
    read_first_presses,
)
from storefront.state.cart import CartState

CART_ID = f"{CartState.get_full_name()}.cart_id_rx_state_"


@pytest.mark.parametrize(
    ("frame", "does_connect"),
    [
        ("3", False),
        ("40/_event,", True),
        ('40/_event,{"event":{},"state_schema":"a"}', True),
        ("41/_event,", False),
        ('42/_event,["event",{"name":"a"}]', False),
        ('42/_event,["client_error",{"message":"a"}]', False),
    ],
)
def test_websocket_frame_that_a_page_sends_is_accepted(frame: str, does_connect: bool) -> None:
    assert opens_namespace(parse_packet(frame)) == does_connect


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "2",
        "2probe",
        "5",
        "3probe",
        "4",
        "40",
        "40/other,",
        "40/_event,7",
        "42/_event,",
        "42/_event,[",
        "42/_event," + "[" * 100_000,
        '42["event",{}]',
        '42/_event,7["event",{}]',
        '42/_event,["event"]',
        '42/_event,["event",{},{}]',
        '42/_event,["connect",{}]',
        '42/_event,["disconnect",{}]',
        '42/_event,["ping",{}]',
        '42/_event,[["event"],{}]',
        '42/_event,{"0":"event","1":{}}',
        "43/_event,7[]",
        "44/_event,{}",
        '451-/_event,["event",{"_placeholder":true,"num":0}]',
        "49",
        "bAAAA",
        '42/_event,["event",' + " " * MAX_FRAME_LENGTH + "{}]",
    ],
    ids=lambda frame: frame[:40],
)
def test_unknown_websocket_frame_is_refused(frame: str) -> None:
    with pytest.raises(FrameRefused):
        parse_packet(frame)


def test_page_with_an_unknown_url_can_connect() -> None:
    """Check that the list `splat`, which Reflex sends for an unknown URL, is dropped. Others are refused."""
    told = {"pathname": "/naves", "asPath": "/naves", "query": {"splat": ["naves"], "q": "oso"}}
    assert parse_browser_address(told)["query"] == {"q": "oso"}
    with pytest.raises(FrameRefused, match="a query that is none"):
        parse_browser_address({"query": {"q": ["oso"]}})


@pytest.fixture(params=STORING)
def filter_stored(request: pytest.FixtureRequest) -> Any:
    """Return a function that returns the values that an event accepts from the browser's storage.

    Each test runs once for every event that receives such values.
    """

    def brought(stored: object) -> Any:
        return parse_event({"name": request.param, "payload": {"vars": stored}})["payload"]["vars"]

    assert request.param in RegistrationContext.get().event_handlers
    return brought


def test_values_stored_in_the_browser_are_read_as_text(filter_stored: Any) -> None:
    assert filter_stored({CART_ID: "cart_01"}) == {CART_ID: "cart_01"}
    assert filter_stored({CART_ID: None}) == {CART_ID: ""}  # another tab of the browser has deleted it
    assert filter_stored({CART_ID: "x" * (MAX_STORED_LENGTH + 1)}) == {CART_ID: ""}


@pytest.mark.parametrize(
    "stored",
    [
        [CART_ID],
        CART_ID,
        {CART_ID: {"a": 1}},
        {CART_ID: 7},
        {CART_ID: ["cart_01"]},
        {f"{CART_ID}{number}": "" for number in range(MAX_STORED_VALUES + 1)},
    ],
    ids=lambda stored: json.dumps(stored)[-30:],
)
def test_invalid_values_stored_in_the_browser_are_refused(filter_stored: Any, stored: object) -> None:
    with pytest.raises(FrameRefused, match="what no browser stores"):
        filter_stored(stored)


def test_page_without_stored_values_can_connect() -> None:
    event = {
        "name": STORING[0],
        "payload": {"hashes": ["a"]},
        "router_data": {"pathname": "/", "asPath": "/"},
    }
    assert parse_event(event) == event


ADD = f"{CartState.get_full_name()}.add"


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"variant_id": "variant_01"},
        {"variant_id": "variant_01", "quantity": 1, "price": 1},
        {"self": {}, "variant_id": "variant_01", "quantity": 1},
        {"0": "variant_01", "1": 1},
    ],
    ids=json.dumps,
)
def test_unknown_handler_arguments_are_refused(payload: dict[str, object]) -> None:
    with pytest.raises(FrameRefused, match="other arguments"):
        parse_event({"name": ADD, "payload": payload})


def test_handler_arguments_can_have_any_value() -> None:
    event = {"name": ADD, "payload": {"variant_id": [1], "quantity": None}, "router_data": {}}
    assert parse_event(event) == event


@pytest.mark.parametrize("odd", ["a\0b", "a\ud83db"])
def test_text_that_a_database_would_reject_is_cleaned_before_the_handlers(odd: str) -> None:
    event = {
        "name": ADD,
        "payload": {"variant_id": odd, "quantity": [{odd: odd}]},
        "router_data": {"pathname": f"/{odd}", "asPath": f"/{odd}", "query": {odd: odd}},
    }
    clean = json.loads(json.dumps(event).replace("\\u0000", "\\ufffd").replace("\\ud83d", "\\ufffd"))
    assert parse_event(event) == clean


PRESS_ID = "0123456789abcdef" * 2


def test_id_of_a_button_press_is_added_to_the_event_payload() -> None:
    payload = {"variant_id": "variant_01", "quantity": 1}
    checked = parse_event({"name": ADD, "payload": payload, "press": PRESS_ID})
    assert checked["payload"] == {**payload, PRESS: PRESS_ID}


@pytest.mark.parametrize(
    "press_id", ["", PRESS_ID.upper(), PRESS_ID[1:], f"{PRESS_ID}0", f"{PRESS_ID}\n", 7, None, {}]
)
def test_event_with_an_invalid_press_id_is_refused(press_id: object) -> None:
    event = {"name": ADD, "payload": {"variant_id": "variant_01", "quantity": 1}, "press": press_id}
    with pytest.raises(FrameRefused, match="press"):
        parse_event(event)
    assert press_id_of(event) == ""


def test_read_only_event_with_a_press_id_is_refused() -> None:
    event = {"name": f"{CartState.get_full_name()}.load_cart", "press": PRESS_ID}
    with pytest.raises(FrameRefused, match="press"):
        parse_event(event)
    assert press_id_of(event) == PRESS_ID


def test_event_with_a_press_id_among_its_arguments_is_refused() -> None:
    payload = {"variant_id": "variant_01", "quantity": 1, PRESS: PRESS_ID}
    with pytest.raises(FrameRefused, match="other arguments"):
        parse_event({"name": ADD, "payload": payload})


@pytest.mark.parametrize("presses", [{}, "x", [{}] * (MAX_RESENT_PRESSES + 1)])
def test_connection_with_an_invalid_list_of_presses_is_refused(presses: object) -> None:
    with pytest.raises(FrameRefused, match="presses"):
        read_first_presses({"presses": presses})


@pytest.mark.parametrize("auth", [None, {}, {"presses": []}])
def test_page_without_unfinished_presses_can_connect(auth: object) -> None:
    assert read_first_presses(auth) == []
