"""What a script knows and the server does not, as variables: markup that depends on it is Python like any other.

A script in `assets/scripts` has a React hook; `hook` makes its value a variable. Reflex makes a component of its own
of whatever reads such a variable, so the hook runs there, below the provider whose context it reads. Only an `rx.memo`
is one component whatever it holds: there the provider stands outside. None of it waits for the network.
"""

from hashlib import sha256
from typing import Any, TypeVar, cast

import reflex as rx
from reflex.vars import FunctionVar, ObjectVar, VarData
from reflex_base.utils.imports import ImportVar

View = TypeVar("View")
Value = TypeVar("Value", bound=rx.Var[Any])

ABSENT: rx.Var[Any] = rx.Var("undefined")
"""The value of a property that an element does not have."""


def script(name: str) -> str:
    """The library of a script in `assets/scripts`, as Reflex imports it."""
    return f"$/public/scripts/{name}.jsx"


def hook(library: str, name: str, *arguments: object) -> rx.Var[Any]:
    """The value that a hook gives.

    Args:
        library: the script, as `script` names it.
        name: the hook's name there.
        arguments: what it is called with: variables, or values that are the same for everybody.
    """
    call: rx.Var[Any] = rx.Var(name).to(FunctionVar).call(*arguments)
    variable = f"{name}_{sha256(f'{library} {call!s}'.encode()).hexdigest()[:8]}"
    line = f"const {variable} = {call!s};"
    given = call._get_all_var_data()  # noqa: SLF001 - what the arguments need comes before the hook's own line
    return rx.Var(variable, _var_data=VarData(imports={library: [ImportVar(tag=name)]}, hooks={line: given}))


def function(library: str, name: str) -> rx.Var[Any]:
    """A function of a script, to be called when something is done in the browser: `custom_attrs={"onClick": …}`."""
    return rx.Var(name, _var_data=VarData(imports={library: [ImportVar(tag=name)]}))


def view(library: str, name: str, kind: type[View], *arguments: object) -> ObjectVar[View]:
    """The value of a hook that gives an object, whose fields are those of `kind`. For the rest, see `hook`."""
    return hook(library, name, *arguments).to(ObjectVar, kind)


def lasting(value: Value, is_known: rx.Var[bool]) -> Value:
    """The value, or the last one that was known: a new connection has not brought everything yet."""
    kept = hook(script("effects"), "useLasting", value, is_known)
    return cast(Value, kept.to(value._var_type))  # noqa: SLF001 - it is a variable of the same kind


def props(getter: Any, *arguments: object) -> rx.Var[Any]:
    """Properties of an element that a script gives: `special_props=[props(FORM.control, "email")]`."""
    given: rx.Var[Any] = getter.to(FunctionVar).call(*arguments)
    return given


def encoded(text: rx.Var[str]) -> rx.Var[str]:
    """The text as a parameter of an address holds it."""
    return rx.Var("encodeURIComponent").to(FunctionVar).call(text).to(str)


def text_at(texts: Any, name: str) -> rx.Var[str]:
    """One of the texts by name; nothing where there is none of that name."""
    text: rx.Var[str] = texts.to(ObjectVar, dict[str, str])[name]
    return text


_PARAMS = VarData(
    imports={"react-router": [ImportVar(tag="useParams")]}, hooks={"const addressParts = useParams()": None}
)


def address_part(name: str) -> rx.Var[str]:
    """A varying part of the path, such as the `slug` of `/product/[slug]`."""
    return rx.Var(f'(addressParts["{name}"] ?? "")', _var_type=str, _var_data=_PARAMS).to(str)
