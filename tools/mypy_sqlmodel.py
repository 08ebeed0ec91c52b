"""A mypy plugin: on the class of a table, a field is a column.

SQLModel declares `title: str`, so that a product's title is text. `Product.title`, on the class, is a column all the
same, and queries are written with it. Without this plugin mypy takes `Product.title == "x"` for a bool.
"""

from collections.abc import Callable

from mypy.nodes import TypeInfo, Var
from mypy.plugin import AttributeContext, Plugin
from mypy.types import Instance, Type

SQLMODEL = "sqlmodel.main.SQLModel"
COLUMN = "sqlalchemy.orm.attributes.InstrumentedAttribute"
NOT_FIELDS = frozenset({"metadata", "registry"})


class SQLModelPlugin(Plugin):
    """Types the fields of tables, seen on their class, as SQLAlchemy's attributes."""

    def get_class_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        """Give the hook for `Table.field`; None for everything else."""
        owner, _, field = fullname.rpartition(".")
        table = self._class(owner)
        if (
            table is None
            or not table.has_base(SQLMODEL)
            or field in NOT_FIELDS
            or field.startswith(("__", "model_"))
        ):
            return None
        declared = table.get(field)
        is_field = declared is not None and isinstance(declared.node, Var) and not declared.node.is_classvar
        return self._as_column if is_field else None

    def _as_column(self, context: AttributeContext) -> Type:
        column = self._class(COLUMN)
        return context.default_attr_type if column is None else Instance(column, [context.default_attr_type])

    def _class(self, fullname: str) -> TypeInfo | None:
        symbol = self.lookup_fully_qualified(fullname)
        return symbol.node if symbol is not None and isinstance(symbol.node, TypeInfo) else None


def plugin(_version: str) -> type[Plugin]:
    """Mypy's entry point."""
    return SQLModelPlugin
