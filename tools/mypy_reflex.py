"""A mypy plugin: on the class of a state, a field that holds a dataclass or a list is Reflex's variable of that kind.

`HomeState.content.slides` is how a page names a part of a state's field. Reflex types the access by overloads, of which
mypy takes the wrong one for a class of our own.
"""

from collections.abc import Callable

from mypy.nodes import TypeInfo, Var
from mypy.plugin import AttributeContext, Plugin
from mypy.types import Instance, Type, get_proper_type

STATE = "reflex.state.BaseState"
FIELD = "reflex_base.vars.base.Field"
OBJECT = "reflex_base.vars.object.ObjectVar"
ARRAY = "reflex_base.vars.sequence.ArrayVar"


class ReflexPlugin(Plugin):
    """Types the fields of states, seen on their class: `ObjectVar` for dataclasses, `ArrayVar` for lists."""

    def get_class_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        """Give the hook for `State.field`; None for everything else."""
        owner, _, name = fullname.rpartition(".")
        state = self._class(owner)
        declared = state.get(name) if state is not None and state.has_base(STATE) else None
        field = get_proper_type(declared.node.type) if declared and isinstance(declared.node, Var) else None
        if not isinstance(field, Instance) or field.type.fullname != FIELD:
            return None
        value = get_proper_type(field.args[0])
        if not isinstance(value, Instance):
            return None
        if value.type.fullname == "builtins.list":
            return lambda context: self._variable(ARRAY, value, context)
        if "dataclass" in value.type.metadata:
            return lambda context: self._variable(OBJECT, value, context)
        return None

    def _variable(self, kind: str, value: Instance, context: AttributeContext) -> Type:
        variable = self._class(kind)
        return context.default_attr_type if variable is None else Instance(variable, [value])

    def _class(self, fullname: str) -> TypeInfo | None:
        symbol = self.lookup_fully_qualified(fullname)
        return symbol.node if symbol is not None and isinstance(symbol.node, TypeInfo) else None


def plugin(_version: str) -> type[Plugin]:
    """Mypy's entry point."""
    return ReflexPlugin
