"""A mypy plugin: on the class of a table, a field is a column.

SQLModel declares `title: str`, so a product's title is a text. But `Product.title`, on the class, is a column, and
queries use it. Without this plugin, mypy infers bool for `Product.title == "x"`.
"""

from collections.abc import Callable

from mypy.nodes import TypeInfo, Var
from mypy.plugin import AttributeContext, Plugin
from mypy.types import Instance, Type

SQLMODEL = "sqlmodel.main.SQLModel"
COLUMN = "sqlalchemy.orm.attributes.InstrumentedAttribute"
NOT_FIELDS = frozenset({"metadata", "registry"})


class SQLModelPlugin(Plugin):
    """A mypy plugin that gives `InstrumentedAttribute`, not the plain value, as the type of a table field."""

    def get_class_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        """Return the hook for the field of a table; None for other attributes."""
        owner, _, field = fullname.rpartition(".")
        table = self._find_class(owner)
        if (
            table is None
            or not table.has_base(SQLMODEL)
            or field in NOT_FIELDS
            or field.startswith(("__", "model_"))
        ):
            return None
        declared = table.get(field)
        is_field = declared is not None and isinstance(declared.node, Var) and not declared.node.is_classvar
        return self._to_column_type if is_field else None

    def _to_column_type(self, context: AttributeContext) -> Type:
        column = self._find_class(COLUMN)
        return context.default_attr_type if column is None else Instance(column, [context.default_attr_type])

    def _find_class(self, fullname: str) -> TypeInfo | None:
        symbol = self.lookup_fully_qualified(fullname)
        return symbol.node if symbol is not None and isinstance(symbol.node, TypeInfo) else None


def plugin(_version: str) -> type[Plugin]:
    """Return the plugin: mypy's entry point."""
    return SQLModelPlugin
