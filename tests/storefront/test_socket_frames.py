"""What our pages send is let in as it is; anything else is refused before anybody acts on it."""

import pytest

from storefront.socket_frames import (
    LONGEST_FRAME,
    Refused,
    checked_address,
    checked_packet,
    connects,
)


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
