"""Reflex states without an open page. With them, the document of an office screen reads its data."""

import reflex as rx
from reflex.istate.data import RouterData
from reflex.state import BaseState
from reflex_base.utils.format import json_dumps

from storefront.reflex_ext.state_loss import KnownClientState


def create_detached_states(url: str, cookie: str) -> KnownClientState:
    """Create the parent of the office's states as for a browser that opened `url` with this `Cookie` header."""
    root = rx.State(init_substates=False, _reflex_internal_init=True)  # type: ignore[call-arg]
    root.router = RouterData.from_router_data(
        {"pathname": url.partition("?")[0], "asPath": url, "headers": {"cookie": cookie}}
    )
    known = KnownClientState(parent_state=root, _reflex_internal_init=True)  # type: ignore[call-arg]
    root.substates[known.get_name()] = known
    return known


def dump_states(*states: BaseState) -> bytes:
    """Return the values of the states as JSON: by state, and then by variable name in the browser."""
    values = {name: value for state in states for name, value in state.dict().items()}
    return json_dumps(values).encode()
