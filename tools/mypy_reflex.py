"""A mypy plugin: a field of a view has the type of Reflex's variable, and a misspelt field is an error.

Pages refer to a part of a state's field as `HomeState.content.slides`. Reflex types this access by overloads, and
mypy selects the wrong one for our own classes; without the plugin, a missing field is found only when pages are
compiled.
"""

from collections.abc import Callable

from mypy.expandtype import expand_type_by_instance
from mypy.maptype import map_instance_to_supertype
from mypy.nodes import TypeInfo, Var
from mypy.plugin import AttributeContext, Plugin
from mypy.types import (
    Instance,
    LiteralType,
    NoneType,
    TupleType,
    Type,
    TypedDictType,
    UnionType,
    get_proper_type,
)

STATE = "reflex.state.BaseState"
FIELD = "reflex_base.vars.base.Field"
VARIABLE = "reflex_base.vars.base.Var"
OBJECT = "reflex_base.vars.object.ObjectVar"
ARRAY = "reflex_base.vars.sequence.ArrayVar"
STRING = "reflex_base.vars.sequence.StringVar"
NUMBER = "reflex_base.vars.number.NumberVar"
BOOLEAN = "reflex_base.vars.number.BooleanVar"
KINDS = {
    "builtins.bool": BOOLEAN,
    "builtins.int": NUMBER,
    "builtins.float": NUMBER,
    "builtins.str": STRING,
    "builtins.list": ARRAY,
    "builtins.tuple": ARRAY,
    "builtins.dict": OBJECT,
}
"""The variable for each type of value, narrower types first."""
DATACLASS = "dataclass"
"""The key under which mypy marks a class as a dataclass."""


class ReflexPlugin(Plugin):
    """A mypy plugin that gives `SomeState.field` the type of a Reflex variable instead of the plain value.

    It does the same for the fields of an object in a state: `SomeState.view.field`.
    """

    def get_class_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        """Return the hook for `State.field`; None for other attributes."""
        owner, _, name = fullname.rpartition(".")
        state = self._find_class(owner)
        declared = state.get(name) if state is not None and state.has_base(STATE) else None
        field = get_proper_type(declared.node.type) if declared and isinstance(declared.node, Var) else None
        if not isinstance(field, Instance) or field.type.fullname != FIELD:
            return None
        return lambda context: self._to_variable_type(field.args[0], context)

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        """Return the hook for an attribute that Reflex does not define for an `ObjectVar`; None for others."""
        owner, _, name = fullname.rpartition(".")
        view = self._find_class(owner) if owner == OBJECT else None
        return (
            None
            if view is None or name in view.names
            else lambda context: self._type_view_field(name, context)
        )

    def _type_view_field(self, name: str, context: AttributeContext) -> Type:
        """Return the type of the Reflex variable for a view's field."""
        variable = get_proper_type(context.type)
        if not isinstance(variable, Instance) or (base := self._find_class(OBJECT)) is None:
            return context.default_attr_type
        view = _without_none(map_instance_to_supertype(variable, base).args[0])
        if not isinstance(view, Instance) or DATACLASS not in view.type.metadata:
            return context.default_attr_type
        found = view.type.get(name)
        if found is None:
            context.api.fail(f'"{view.type.name}" has no field "{name}"', context.context)
            return context.default_attr_type
        if not isinstance(found.node, Var) or found.node.type is None:
            return context.default_attr_type
        owner = map_instance_to_supertype(view, found.node.info)
        return self._to_variable_type(expand_type_by_instance(found.node.type, owner), context)

    def _to_variable_type(self, value: Type, context: AttributeContext) -> Type:
        """Return the type of the variable that Reflex creates for a value of this type."""
        value = _without_none(value)
        if isinstance(value, LiteralType):
            value = value.fallback
        if isinstance(value, TypedDictType):
            kind = OBJECT
        elif isinstance(value, TupleType):
            kind = ARRAY
        elif not isinstance(value, Instance):
            return context.default_attr_type
        elif DATACLASS in value.type.metadata:
            kind = OBJECT
        else:
            kind = next((kind for name, kind in KINDS.items() if value.type.has_base(name)), VARIABLE)
        variable = self._find_class(kind)
        if variable is None:
            return context.default_attr_type
        return Instance(variable, [value] if variable.type_vars else [])

    def _find_class(self, fullname: str) -> TypeInfo | None:
        symbol = self.lookup_fully_qualified(fullname)
        return symbol.node if symbol is not None and isinstance(symbol.node, TypeInfo) else None


def _without_none(value: Type) -> Type:
    """Return the value's type without None: a missing value is displayed as nothing."""
    value = get_proper_type(value)
    if not isinstance(value, UnionType):
        return value
    some = [one for one in map(get_proper_type, value.items) if not isinstance(one, NoneType)]
    return some[0] if len(some) == 1 else value


def plugin(_version: str) -> type[Plugin]:
    """Return the plugin: mypy's entry point."""
    return ReflexPlugin
