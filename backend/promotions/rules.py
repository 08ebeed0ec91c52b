"""The conditions of promotions: which attribute of a cart or of a line is compared, how, and with which values.

A promotion applies to a cart when all its rules hold, and takes something off the lines for which all its target rules
hold. Names and operators are the platform's; one that the shop cannot check is refused when it is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.core.ids import new_id
from backend.core.money import Cop

ITEM_TOTAL = "item_total"
"""What the lines cost before anything is taken off, in pesos: the minimum of a promotion."""
CUSTOMER_GROUPS = "customer.groups.id"
PRODUCT, CATEGORY = "items.product.id", "items.product.categories.id"


class Operator(StrEnum):
    """How an attribute is compared. `in` and `eq`: one of the values; `ne`: none of them; the others compare pesos."""

    EQ = "eq"
    NE = "ne"
    IN = "in"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"


WORDS = (Operator.IN, Operator.EQ, Operator.NE)
AMOUNTS = (Operator.GTE, Operator.GT, Operator.LTE, Operator.LT, Operator.EQ)
CART_ATTRIBUTES = {
    "customer_group": CUSTOMER_GROUPS,
    "region": "region.id",
    "country": "shipping_address.country_code",
    "sales_channel": "sales_channel_id",
    "currency_code": "currency_code",
    "item_total": ITEM_TOTAL,
}
TARGET_ATTRIBUTES = {
    "product": PRODUCT,
    "product_category": CATEGORY,
    "product_collection": "items.product.collection_id",
    "product_variant": "items.variant.id",
}
"""The attributes, by the ids that the platform's dashboard has for them."""
MOST_VALUES = 1000
MOST_RULES = 20


@dataclass(frozen=True, slots=True)
class Rule:
    """One condition. `values` of an amount is one number of whole pesos."""

    attribute: str
    operator: Operator
    values: tuple[str, ...]

    @classmethod
    def of(cls, stored: JsonObject) -> "Rule":
        """The rule of what `stored_rule` made."""
        return cls(stored["attribute"], Operator(stored["operator"]), tuple(stored["values"]))

    def holds(self, facts: Mapping[str, Any]) -> bool:
        """Whether it holds for these facts: a set of texts by attribute, and pesos for `ITEM_TOTAL`."""
        fact = facts.get(self.attribute, frozenset())
        if self.attribute == ITEM_TOTAL:
            return _compares(int(fact), self.operator, int(self.values[0]))
        has_one = not fact.isdisjoint(self.values)
        return not has_one if self.operator is Operator.NE else has_one


def _compares(amount: Cop, operator: Operator, bound: Cop) -> bool:
    return {
        Operator.EQ: amount == bound,
        Operator.GT: amount > bound,
        Operator.GTE: amount >= bound,
        Operator.LT: amount < bound,
        Operator.LTE: amount <= bound,
    }[operator]


def rules_of(stored: Sequence[JsonObject]) -> tuple[Rule, ...]:
    """The rules as they are stored."""
    return tuple(map(Rule.of, stored))


def hold(rules: Sequence[Rule], facts: Mapping[str, Any]) -> bool:
    """Whether all of them hold."""
    return all(rule.holds(facts) for rule in rules)


def short_of(rules: Sequence[Rule], item_total: Cop) -> Cop:
    """How many pesos of toys are missing for the minimum that these rules set; 0 where none are."""
    needed = [
        int(rule.values[0]) + (rule.operator is Operator.GT)
        for rule in rules
        if rule.attribute == ITEM_TOTAL and rule.operator in (Operator.GT, Operator.GTE)
    ]
    return max((bound - item_total for bound in needed if bound > item_total), default=0)


def stored_rule(
    attribute: str,
    operator: str,
    values: str | Sequence[str],
    *,
    is_target: bool,
    description: str | None = None,
    rule_id: str | None = None,
) -> JsonObject:
    """The rule as it is stored.

    Raises:
        InvalidData: the shop knows no such attribute, it cannot be compared like that, or a value is missing or wrong.
    """
    known = TARGET_ATTRIBUTES if is_target else CART_ATTRIBUTES
    if attribute not in known.values():
        raise InvalidData(f"Invalid rule attribute: {attribute}; possible: {', '.join(known.values())}")
    operators = AMOUNTS if attribute == ITEM_TOTAL else WORDS
    if operator not in operators:
        raise InvalidData(f"Invalid operator for {attribute}: {operator}; possible: {', '.join(operators)}")
    told = [values] if isinstance(values, str) else list(dict.fromkeys(values))
    if not told or len(told) > MOST_VALUES:
        raise InvalidData(f"A rule has between 1 and {MOST_VALUES} values")
    if attribute == ITEM_TOTAL and not (len(told) == 1 and told[0].isascii() and told[0].isdigit()):
        raise InvalidData(f"{ITEM_TOTAL} is compared with one number of whole pesos")
    return {
        "id": rule_id or new_id("prorul"),
        "attribute": attribute,
        "operator": str(operator),
        "values": told,
        "description": description,
    }
