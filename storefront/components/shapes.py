"""What is known in the browser only, taken as what it will be: a view with its fields, a list of views."""

from typing import Any, TypeVar

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

View = TypeVar("View")


def view_of(var: rx.Var[Any], kind: type[View]) -> ObjectVar[View]:
    """The value as a view, whose fields are attributes."""
    return var.to(ObjectVar, kind)


def list_of(var: rx.Var[Any], kind: type[View]) -> ArrayVar[list[View]]:
    """The value as a list of views."""
    return var.to(ArrayVar, list[kind])  # type: ignore[valid-type]
