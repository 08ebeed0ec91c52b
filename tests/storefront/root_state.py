"""The root of a browser's states."""

import reflex as rx
from reflex.state import BaseState


def get_root_state(state: rx.State) -> BaseState:
    """Return the root of the tree that this state is in."""
    root: BaseState = state
    while root.parent_state is not None:
        root = root.parent_state
    return root
