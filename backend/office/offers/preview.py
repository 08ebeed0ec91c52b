"""Preview of an offer: its effect at today's prices, before the form is stored.

Only the products that are shown are read. The database counts the others, so the preview is fast in a large shop.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, distinct, exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import with_descendant_ids
from backend.catalog.models import Product, ProductCategory, Variant, for_sale, variant_name
from backend.core.dates import date_label, last_day
from backend.core.db.database import database_now
from backend.core.money import format_cop
from backend.core.texts import _, format_count
from backend.office.offers.form import (
    CATEGORIES,
    ORDER,
    PRODUCTS,
    SHIPPING,
    OfferForm,
    TypedBuyGet,
    TypedOffer,
    parse_offer,
)
from backend.office.offers.listing import COMBINATIONS, describe_buyget, describe_promotion, version_of
from backend.office.offers.saving import save_offer
from backend.pricing import PricedLine
from backend.promotions.discount_calculation import apply_offers
from backend.promotions.kinds import Allocation, Combination, MethodType, PromotionStatus
from backend.promotions.models import Campaign, Promotion
from backend.promotions.offers import BuyGet, Offer, TargetLine
from backend.promotions.rules import PRODUCT, Operator, Rule
from backend.promotions.service import find_promotion
from backend.staff.rights import Actor, Right

MAX_PREVIEW_ROWS = 8
"""Maximum number of variants in a preview."""
CHANGED_SINCE = _(
    "Alguien la cambió mientras la tenías abierta. Ahora es: {told}. "
    "Recarga para ver cómo quedó; si guardas, queda lo tuyo."
)
_SELECT_PROMOTION = (
    select(Promotion, Campaign)
    .outerjoin(Campaign, Campaign.id == Promotion.campaign_id)
    .where(Promotion.id == bindparam("promotion_id"), Promotion.deleted_at.is_(None))
)


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """The price of a variant without and with the offer: of one unit, or of the units to buy and get together."""

    title: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The effect of an offer: sentences, the most expensive affected variants, and how many more are affected.

    `version` is the current version of the promotion (`version_of`); empty for a new one.
    """

    words: list[str]
    rows: list[PreviewRow]
    more: int
    version: str


async def preview_offer(
    session: AsyncSession, actor: Actor, form: OfferForm, promotion_id: str = "", seen: str = ""
) -> Preview:
    """Return the effect that the offer in the form would have at today's prices.

    `seen` is the version of the promotion when the form was filled.

    Raises:
        InvalidData: `fields` has the errors by field.
    """
    actor.require(Right.READ_CATALOG)
    typed = await parse_offer(session, form)
    stored = (await session.execute(_SELECT_PROMOTION, {"promotion_id": promotion_id})).one_or_none()
    version = version_of(*stored) if stored else ""
    moment = await database_now(session)
    status = stored[0].status if stored else ""
    notes = [CHANGED_SINCE.format(told=describe_promotion(*stored))] if stored and version != seen else []
    if typed.target == SHIPPING:
        return Preview([*notes, *_describe_offer(typed, 0, status, moment)], [], 0, version)
    found = (
        select(Product, Variant)
        .select_from(Product)
        .join(Variant, Variant.product_id == Product.id)
        .where(*await _product_conditions(session, typed))
    )
    counts = found.with_only_columns(func.count(), func.count(distinct(Product.id)))
    variants, product_count = (await session.execute(counts)).one()
    dearest = found.order_by(Variant.price.desc(), Variant.id).limit(MAX_PREVIEW_ROWS)
    shown = (await session.execute(dearest)).all()
    rows = [_preview_row(product, variant, typed) for product, variant in shown]
    words = [*notes, *_describe_offer(typed, product_count, status, moment)]
    return Preview(words, rows, variants - len(rows), version)


async def save_previewed_offer(
    session: AsyncSession, actor: Actor, form: OfferForm, seen: str, promotion_id: str = ""
) -> str | Preview:
    """Store the form if the promotion still has the version `seen` of the preview.

    Returns:
        The id of the promotion; or a new preview if the promotion was changed or ended since.

    Raises:
        NotFound: the promotion does not exist.
        InvalidData: `fields` has the errors by field.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    if promotion_id:
        promotion = await find_promotion(session, promotion_id)
        campaign = await session.get(Campaign, promotion.campaign_id) if promotion.campaign_id else None
        if version_of(promotion, campaign) != seen:
            return await preview_offer(session, actor, form, promotion_id, seen)
    return (await save_offer(session, actor, form, promotion_id)).id


async def _product_conditions(session: AsyncSession, typed: TypedOffer) -> list[ColumnElement[bool]]:
    """Return the SQL conditions that select the products whose prices the preview shows."""
    if typed.buyget and typed.buyget.gift_ids:
        return [for_sale(), Product.id.in_(typed.buyget.gift_ids)]
    if typed.target == PRODUCTS:
        return [for_sale(), Product.id.in_(typed.target_ids)]
    if typed.target == CATEGORIES:
        inside = ProductCategory.category_id.in_(await with_descendant_ids(session, typed.target_ids))
        return [for_sale(), exists().where(ProductCategory.product_id == Product.id, inside)]
    return [for_sale()]


def _preview_row(product: Product, variant: Variant, typed: TypedOffer) -> PreviewRow:
    """Return the row for one unit of a variant; for a buyget offer, for the units to buy and get together."""
    # a gift is discounted alone: its row does not include the units bought for it
    buyget = typed.buyget if typed.buyget and not typed.buyget.gift_ids else None
    units = buyget.buy + buyget.get if buyget else 1
    rules = (Rule(PRODUCT, Operator.IN, (product.id,)),)
    offer = Offer(
        promotion_id="",
        code=typed.code,
        method_type=typed.method,
        target_type=typed.target_type,
        allocation=Allocation.ACROSS,
        value=typed.value,
        target_rules=rules if buyget else (),
        buyget=BuyGet(buyget.buy, buyget.get, rules) if buyget else None,
    )
    line = TargetLine(
        PricedLine(variant.id, units, variant.price, product.tax_rate), {PRODUCT: frozenset({product.id})}
    )
    taken = sum(one.amount for one in apply_offers([offer], [line]).adjustments)
    name = variant_name(variant.title)
    title = f"{product.title}, {name}" if name else product.title
    return PreviewRow(
        title=f"{units} × {title}" if buyget else title,
        before=format_cop(variant.price * units),
        after=format_cop(variant.price * units - taken),
    )


def _describe_offer(typed: TypedOffer, product_count: int, status: str, moment: datetime) -> list[str]:
    """Return sentences that describe the offer."""
    off = f"{typed.value} %" if typed.method is MethodType.PERCENTAGE else format_cop(typed.value)
    targets = {
        SHIPPING: _("Quita {off} del envío; nunca más de lo que cuesta."),
        ORDER: _("Quita {off} del valor de los productos del carrito."),
        PRODUCTS: _("Quita {off} de los productos elegidos que estén en el carrito."),
        CATEGORIES: _("Quita {off} de los productos de esas categorías que estén en el carrito."),
    }
    words = _describe_buyget(typed, typed.buyget) if typed.buyget else [targets[typed.target].format(off=off)]
    if typed.target in (PRODUCTS, CATEGORIES):
        words.append(
            format_count(
                product_count, _("Hoy es {n} producto a la venta."), _("Hoy son {n} productos a la venta.")
            )
        )
    words.append(
        _("Se aplica sola, sin código.")
        if typed.is_automatic
        else _("Se aplica a quien escriba el código {code}.").format(code=typed.code)
    )
    words += _describe_limits(typed)
    if typed.ends_at and typed.ends_at <= moment:
        words.append(_("Su último día ya pasó: así no aplica."))
    elif status == PromotionStatus.DRAFT:
        words.append(_("Es un borrador: al guardarla empieza a aplicar."))
    elif status == PromotionStatus.INACTIVE:
        words.append(_("Está terminada: al guardarla vuelve a aplicar."))
    return words


def _describe_limits(typed: TypedOffer) -> list[str]:
    """Return sentences about the minimum, dates, limits and combination of an offer."""
    words = []
    if typed.minimum:
        words.append(_("Desde {amount} en productos.").format(amount=format_cop(typed.minimum)))
    if typed.starts_at:
        words.append(_("Empieza el {day}.").format(day=date_label(typed.starts_at)))
    if typed.ends_at:
        last = date_label(last_day(typed.ends_at))
        words.append(_("Termina sola al acabarse el {day}.").format(day=last))
    if typed.limit:
        words.append(_("Usos en total: {n}.").format(n=typed.limit))
    if typed.each:
        words.append(_("Usos por cliente: {n}.").format(n=typed.each))
    if typed.combination != Combination.ALL:
        words.append(_("Se suma {others}.").format(others=COMBINATIONS[typed.combination]))
        words.append(_("Si no se puede sumar con otra, aplica la que más le ahorra al cliente."))
    return words


def _describe_buyget(typed: TypedOffer, buyget: TypedBuyGet) -> list[str]:
    """Return sentences that describe a buyget offer."""
    chosen = {
        PRODUCTS: _("{deal} en los productos elegidos."),
        CATEGORIES: _("{deal} en los productos de esas categorías."),
    }
    deal = describe_buyget(buyget.buy, buyget.get, typed.value)
    words = [chosen.get(typed.target, "{deal}").format(deal=deal)]
    if buyget.gift_ids:
        words.append(_("Se descuentan los productos de la lista de regalos, cuando están en el carrito."))
    else:
        words.append(_("Las unidades más baratas son las que se descuentan."))
    if buyget.most:
        words.append(_("En cada compra se descuentan hasta {n} unidades.").format(n=buyget.most))
    return words
