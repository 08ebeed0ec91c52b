"""Values of browser scripts as Reflex variables, so that markup can depend on data that the server does not have.

A script in `assets/scripts` has a React hook; `hook` turns its value into a variable. Reflex makes a separate
component of everything that reads such a variable, so the hook runs inside this component. The React context that
the hook reads must be provided outside the component. An `rx.memo` is always one component, so the provider must be
outside the memo. No hook waits for the network.
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
    """Return a variable with the value of a React hook.

    Args:
        library: the script, as returned by `script`.
        name: the hook's name in the script.
        arguments: the hook's arguments: variables, or values that are the same for every visitor.
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
    """Return a variable for a React hook that returns an object with the fields of `kind`.

    See `hook` for the arguments.
    """
    return hook(library, name, *arguments).to(ObjectVar, kind)


def last_known(value: Value, is_known: rx.Var[bool]) -> Value:
    """Return a variable with the value or, while `is_known` is False, with the latest known value.

    So after a reconnection, the content stays until all data have arrived.
    """
    kept = hook(script("effects"), "useLastKnown", value, is_known)
    return cast(Value, kept.to(value._var_type))  # noqa: SLF001 - it is a variable of the same kind


def props(getter: Any, *arguments: object) -> rx.Var[Any]:
    """Return the React props that a script provides for an element: `special_props=[props(FORM.control, "email")]`."""
    given: rx.Var[Any] = getter.to(FunctionVar).call(*arguments)
    return given


def encoded(text: rx.Var[str]) -> rx.Var[str]:
    """Return the text encoded as a parameter of an address."""
    return rx.Var("encodeURIComponent").to(FunctionVar).call(text).to(str)


def text_at(texts: Any, name: str | rx.Var[str]) -> rx.Var[str]:
    """Return a variable with the text of this key in `texts`; empty if there is none."""
    text: rx.Var[str] = texts.to(ObjectVar, dict[str, str])[name]
    return text


_PARAMS = VarData(
    imports={"react-router": [ImportVar(tag="useParams")]}, hooks={"const addressParts = useParams()": None}
)


def address_part(name: str) -> rx.Var[str]:
    """Return a variable with a variable part of the path, such as the `slug` of `/product/[slug]`."""
    return rx.Var(f'(addressParts["{name}"] ?? "")', _var_type=str, _var_data=_PARAMS).to(str)
