"""A mypy plugin: a field of a view is Reflex's variable of the field's kind, and a misspelt one is an error.

`HomeState.content.slides` is how a page names a part of a state's field. Reflex types the access by overloads, of which
mypy takes the wrong one for a class of our own; and it finds a field that is missing only when the page is compiled.
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
"""The variable of each kind of value, the narrower before the wider."""
DATACLASS = "dataclass"
"""The name under which mypy notes that a class is one."""


class ReflexPlugin(Plugin):
    """Types the fields of states, seen on their class, and the fields of the views in them."""

    def get_class_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        """Give the hook for `State.field`; None for everything else."""
        owner, _, name = fullname.rpartition(".")
        state = self._class(owner)
        declared = state.get(name) if state is not None and state.has_base(STATE) else None
        field = get_proper_type(declared.node.type) if declared and isinstance(declared.node, Var) else None
        if not isinstance(field, Instance) or field.type.fullname != FIELD:
            return None
        return lambda context: self._variable(field.args[0], context)

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        """Give the hook for a name on an `ObjectVar` that is none of Reflex's own."""
        owner, _, name = fullname.rpartition(".")
        view = self._class(owner) if owner == OBJECT else None
        return None if view is None or name in view.names else lambda context: self._part(name, context)

    def _part(self, name: str, context: AttributeContext) -> Type:
        """Return the variable of a view's field."""
        variable = get_proper_type(context.type)
        if not isinstance(variable, Instance) or (base := self._class(OBJECT)) is None:
            return context.default_attr_type
        view = _required(map_instance_to_supertype(variable, base).args[0])
        if not isinstance(view, Instance) or DATACLASS not in view.type.metadata:
            return context.default_attr_type
        found = view.type.get(name)
        if found is None:
            context.api.fail(f'"{view.type.name}" has no field "{name}"', context.context)
            return context.default_attr_type
        if not isinstance(found.node, Var) or found.node.type is None:
            return context.default_attr_type
        owner = map_instance_to_supertype(view, found.node.info)
        return self._variable(expand_type_by_instance(found.node.type, owner), context)

    def _variable(self, value: Type, context: AttributeContext) -> Type:
        """Return the variable that Reflex makes of such a value."""
        value = _required(value)
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
        variable = self._class(kind)
        if variable is None:
            return context.default_attr_type
        return Instance(variable, [value] if variable.type_vars else [])

    def _class(self, fullname: str) -> TypeInfo | None:
        symbol = self.lookup_fully_qualified(fullname)
        return symbol.node if symbol is not None and isinstance(symbol.node, TypeInfo) else None


def _required(value: Type) -> Type:
    """Return the value's type without None: what is missing is shown as nothing."""
    value = get_proper_type(value)
    if not isinstance(value, UnionType):
        return value
    some = [one for one in map(get_proper_type, value.items) if not isinstance(one, NoneType)]
    return some[0] if len(some) == 1 else value


def plugin(_version: str) -> type[Plugin]:
    """Mypy's entry point."""
    return ReflexPlugin
