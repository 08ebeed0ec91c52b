"""What our pages send is let in as it is; anything else is refused before anybody acts on it."""

import json
from typing import Any

import pytest
from reflex_base.registry import RegistrationContext

from storefront.reflex_ext.event_processor import PRESS
from storefront.reflex_ext.socket_frames import (
    LONGEST_FRAME,
    LONGEST_STORED,
    MOST_PRESSES,
    MOST_STORED,
    STORING,
    Refused,
    boot_presses,
    checked_address,
    checked_event,
    checked_packet,
    connects,
    press_id_of,
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
def test_what_a_page_sends_is_let_in(frame: str, does_connect: bool) -> None:
    assert connects(checked_packet(frame)) == does_connect


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
        '42/_event,["event",' + " " * LONGEST_FRAME + "{}]",
    ],
    ids=lambda frame: frame[:40],
)
def test_another_frame_is_refused(frame: str) -> None:
    with pytest.raises(Refused):
        checked_packet(frame)


def test_a_page_whose_address_leads_nowhere_may_connect() -> None:
    """Reflex sends the parts of such an address as a list; nobody reads them, and they go no further."""
    told = {"pathname": "/naves", "asPath": "/naves", "query": {"splat": ["naves"], "q": "oso"}}
    assert checked_address(told)["query"] == {"q": "oso"}
    with pytest.raises(Refused, match="a query that is none"):
        checked_address({"query": {"q": ["oso"]}})


@pytest.fixture(params=STORING)
def storing(request: pytest.FixtureRequest) -> Any:
    """Gives what is left of stored values in each event that brings some."""

    def brought(stored: object) -> Any:
        return checked_event({"name": request.param, "payload": {"vars": stored}})["payload"]["vars"]

    assert request.param in RegistrationContext.get().event_handlers
    return brought


def test_what_a_browser_has_stored_is_text(storing: Any) -> None:
    assert storing({CART_ID: "cart_01"}) == {CART_ID: "cart_01"}
    assert storing({CART_ID: None}) == {CART_ID: ""}  # another tab of the browser has forgotten it
    assert storing({CART_ID: "x" * (LONGEST_STORED + 1)}) == {CART_ID: ""}


@pytest.mark.parametrize(
    "stored",
    [
        [CART_ID],
        CART_ID,
        {CART_ID: {"a": 1}},
        {CART_ID: 7},
        {CART_ID: ["cart_01"]},
        {f"{CART_ID}{number}": "" for number in range(MOST_STORED + 1)},
    ],
    ids=lambda stored: json.dumps(stored)[-30:],
)
def test_what_no_browser_stores_is_refused(storing: Any, stored: object) -> None:
    with pytest.raises(Refused, match="what no browser stores"):
        storing(stored)


def test_a_page_without_anything_stored_may_connect() -> None:
    event = {
        "name": STORING[0],
        "payload": {"hashes": ["a"]},
        "router_data": {"pathname": "/", "asPath": "/"},
    }
    assert checked_event(event) == event


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
def test_other_arguments_than_the_handlers_are_refused(payload: dict[str, object]) -> None:
    with pytest.raises(Refused, match="other arguments"):
        checked_event({"name": ADD, "payload": payload})


def test_the_handlers_arguments_may_hold_anything() -> None:
    event = {"name": ADD, "payload": {"variant_id": [1], "quantity": None}, "router_data": {}}
    assert checked_event(event) == event


@pytest.mark.parametrize("odd", ["a\0b", "a\ud83db"])
def test_no_text_comes_to_a_handler_that_no_database_takes(odd: str) -> None:
    event = {
        "name": ADD,
        "payload": {"variant_id": odd, "quantity": [{odd: odd}]},
        "router_data": {"pathname": f"/{odd}", "asPath": f"/{odd}", "query": {odd: odd}},
    }
    clean = json.loads(json.dumps(event).replace("\\u0000", "\\ufffd").replace("\\ud83d", "\\ufffd"))
    assert checked_event(event) == clean


PRESS_ID = "0123456789abcdef" * 2


def test_the_id_of_a_press_is_taken_along() -> None:
    payload = {"variant_id": "variant_01", "quantity": 1}
    checked = checked_event({"name": ADD, "payload": payload, "press": PRESS_ID})
    assert checked["payload"] == {**payload, PRESS: PRESS_ID}


@pytest.mark.parametrize(
    "press_id", ["", PRESS_ID.upper(), PRESS_ID[1:], f"{PRESS_ID}0", f"{PRESS_ID}\n", 7, None, {}]
)
def test_what_is_no_id_of_a_press_is_refused(press_id: object) -> None:
    event = {"name": ADD, "payload": {"variant_id": "variant_01", "quantity": 1}, "press": press_id}
    with pytest.raises(Refused, match="press"):
        checked_event(event)
    assert press_id_of(event) == ""


def test_an_event_that_changes_nothing_is_no_press() -> None:
    event = {"name": f"{CartState.get_full_name()}.load_cart", "press": PRESS_ID}
    with pytest.raises(Refused, match="press"):
        checked_event(event)
    assert press_id_of(event) == PRESS_ID


def test_a_press_cannot_be_named_among_the_arguments() -> None:
    payload = {"variant_id": "variant_01", "quantity": 1, PRESS: PRESS_ID}
    with pytest.raises(Refused, match="other arguments"):
        checked_event({"name": ADD, "payload": payload})


@pytest.mark.parametrize("presses", [{}, "x", [{}] * (MOST_PRESSES + 1)])
def test_what_is_no_list_of_presses_is_refused(presses: object) -> None:
    with pytest.raises(Refused, match="presses"):
        boot_presses({"presses": presses})


@pytest.mark.parametrize("auth", [None, {}, {"presses": []}])
def test_a_page_may_connect_without_presses(auth: object) -> None:
    assert boot_presses(auth) == []
