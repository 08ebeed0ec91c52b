"""Tables of promotions: discounts with their conditions, campaigns, and every use of a promotion.

They follow the commerce platform: a promotion's campaign sets its period. The promotion's own limit and the
campaign's budget set how often it applies. Uses are counted from rows, not in a column, so that the count is always
exact.
"""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from backend.core.clock import now
from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id
from backend.core.money import Cop

_STANDS = text("deleted_at IS NULL")
_AUTOMATIC = text("is_automatic AND status = 'active' AND deleted_at IS NULL")


class Campaign(Timestamps, table=True):
    """The period in which promotions apply, and the limit of their use.

    `budget_type` (`backend.promotions.kinds`): `usage` limits the uses, `spend` the pesos, `use_by_attribute` the
    uses per customer. Without a `budget_type` there is no limit.
    """

    __tablename__ = "campaign"
    __table_args__: ClassVar = (
        Index(
            "uq_campaign_identifier",
            "campaign_identifier",
            unique=True,
            sqlite_where=_STANDS,
            postgresql_where=_STANDS,
        ),
        CheckConstraint("ends_at IS NULL OR starts_at IS NULL OR starts_at < ends_at", name="ends_at"),
        CheckConstraint("budget_limit IS NULL OR budget_limit > 0", name="budget_limit"),
    )

    id: str = Field(default_factory=lambda: new_id("procamp"), primary_key=True)
    name: str
    campaign_identifier: str
    description: str | None = None
    starts_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    ends_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    budget_type: str | None = None
    budget_limit: int | None = None
    budget_attribute: str | None = None
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class Promotion(Timestamps, table=True):
    """A discount in pesos or percent on products, the whole cart or the shipping. It needs a code or is automatic.

    Attributes:
        code: the code to type, or the name of an automatic promotion. `code_key` is its normalized form.
        use_limit: how often it can be used in total.
        value: pesos, or percent.
        max_quantity: maximum number of discounted units of each line (`each`) or of the cart (`once`); None: all
            units.
        type: see `backend.promotions.kinds.PromotionType`. A `buyget` promotion discounts `apply_quantity` units of
            the lines that meet the target rules for every `buy_quantity` further units that meet the buy rules.
            Its `max_quantity` limits the discounted units of the cart; None: it applies once.
        rules: conditions on the cart; `target_rules` and `buy_rules` are conditions on the lines
            (`backend.promotions.rules`).
        combination: promotions with which it may be combined: see `backend.promotions.kinds.Combination`.
    """

    __tablename__ = "promotion"
    __table_args__: ClassVar = (
        Index("uq_promotion_code", "code_key", unique=True, sqlite_where=_STANDS, postgresql_where=_STANDS),
        Index("ix_promotion_automatic", "id", sqlite_where=_AUTOMATIC, postgresql_where=_AUTOMATIC),
        CheckConstraint("value > 0", name="value"),
        CheckConstraint("method_type <> 'percentage' OR value <= 100", name="percentage"),
        CheckConstraint("use_limit IS NULL OR use_limit > 0", name="use_limit"),
        CheckConstraint("max_quantity IS NULL OR max_quantity > 0", name="max_quantity"),
        CheckConstraint("type <> 'buyget' OR (buy_quantity > 0 AND apply_quantity > 0)", name="buyget"),
    )

    id: str = Field(default_factory=lambda: new_id("promo"), primary_key=True)
    code: str
    code_key: str
    type: str = "standard"
    is_automatic: bool = False
    status: str = "draft"
    campaign_id: str | None = Field(default=None, foreign_key="campaign.id", index=True)
    use_limit: int | None = None
    method_type: str
    target_type: str
    allocation: str
    value: int
    max_quantity: int | None = None
    buy_quantity: int | None = None
    apply_quantity: int | None = None
    description: str | None = None
    combination: str = "all"
    rules: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    target_rules: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    buy_rules: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class CartPromotion(SQLModel, table=True):
    """A code that was typed into a cart."""

    __tablename__ = "cart_promotion"

    cart_id: str = Field(foreign_key="cart.id", primary_key=True, ondelete="CASCADE")
    promotion_id: str = Field(foreign_key="promotion.id", primary_key=True, index=True, ondelete="CASCADE")
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)


class PromotionUse(Timestamps, table=True):
    """One use of a promotion: reserved while its cart is being paid, confirmed when the cart is paid.

    Attributes:
        holder: the cart's id, also after the cart has become an order.
        buyer: a hash of the customer's e-mail address; empty without an address. Together with `customer_id` it
            identifies the customer.
        confirmed_at: when the cart was paid; None while the use may be released.
        is_counted: False if the payment arrived after the use was released: the agreed price stays valid, and no
            other customer loses a use.
    """

    __tablename__ = "promotion_use"
    __table_args__ = (UniqueConstraint("holder", "promotion_id"),)

    id: str = Field(default_factory=lambda: new_id("prouse"), primary_key=True)
    promotion_id: str = Field(foreign_key="promotion.id", index=True)
    holder: str
    amount: Cop
    customer_id: str | None = Field(default=None, index=True)
    buyer: str = ""
    confirmed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    is_counted: bool = True
