"""Values of browser scripts as variables, so that markup can depend on data that the server does not have.

A script in `assets/scripts` has a React hook; `hook` turns its value into a variable. Reflex makes a separate
component of everything that reads such a variable, so the hook runs inside it, below the provider whose context it
reads. Only an `rx.memo` is always one component: its provider must be outside. No hook waits for the network.
"""

from hashlib import sha256
from typing import Any, TypeVar, cast

import reflex as rx
from reflex.vars import FunctionVar, ObjectVar, VarData
from reflex_base.utils.imports import ImportVar

View = TypeVar("View")
Value = TypeVar("Value", bound=rx.Var[Any])

ABSENT: rx.Var[Any] = rx.Var("undefined")
"""Value of a property that an element does not have."""


def script(name: str) -> str:
    """Return the import path of a script in `assets/scripts`."""
    return f"$/public/scripts/{name}.jsx"


def hook(library: str, name: str, *arguments: object) -> rx.Var[Any]:
    """Return a variable with the value of a hook.

    Args:
        library: the script, as `script` names it.
        name: the hook's name in the script.
        arguments: the hook's arguments: variables, or values that are the same for everyone.
    """
    call: rx.Var[Any] = rx.Var(name).to(FunctionVar).call(*arguments)
    variable = f"{name}_{sha256(f'{library} {call!s}'.encode()).hexdigest()[:8]}"
    line = f"const {variable} = {call!s};"
    given = call._get_all_var_data()  # noqa: SLF001 - what the arguments need comes before the hook's own line
    return rx.Var(variable, _var_data=VarData(imports={library: [ImportVar(tag=name)]}, hooks={line: given}))


def function(library: str, name: str) -> rx.Var[Any]:
    """Return a function of a script as a browser event handler: `custom_attrs={"onClick": …}`."""
    return rx.Var(name, _var_data=VarData(imports={library: [ImportVar(tag=name)]}))


def view(library: str, name: str, kind: type[View], *arguments: object) -> ObjectVar[View]:
    """Return a variable for a hook that returns an object with the fields of `kind`. For the rest, see `hook`."""
    return hook(library, name, *arguments).to(ObjectVar, kind)


def last_known(value: Value, is_known: rx.Var[bool]) -> Value:
    """Return the value, or the latest known one while a new connection has not delivered everything yet."""
    kept = hook(script("effects"), "useLastKnown", value, is_known)
    return cast(Value, kept.to(value._var_type))  # noqa: SLF001 - it is a variable of the same kind


def props(getter: Any, *arguments: object) -> rx.Var[Any]:
    """Return properties of an element that a script provides: `special_props=[props(FORM.control, "email")]`."""
    given: rx.Var[Any] = getter.to(FunctionVar).call(*arguments)
    return given


def encoded(text: rx.Var[str]) -> rx.Var[str]:
    """Return the text encoded as a parameter of an address."""
    return rx.Var("encodeURIComponent").to(FunctionVar).call(text).to(str)


def text_at(texts: Any, name: str) -> rx.Var[str]:
    """Return one of the texts by name; empty if there is none with that name."""
    text: rx.Var[str] = texts.to(ObjectVar, dict[str, str])[name]
    return text


_PARAMS = VarData(
    imports={"react-router": [ImportVar(tag="useParams")]}, hooks={"const addressParts = useParams()": None}
)


def address_part(name: str) -> rx.Var[str]:
    """Return a variable part of the path, such as the `slug` of `/product/[slug]`."""
    return rx.Var(f'(addressParts["{name}"] ?? "")', _var_type=str, _var_data=_PARAMS).to(str)
