"""The gift finder: three questions, each answered with one click, and the matching products below them.

All answers are in the URL, so that a list can be shared and the page works without scripts. If no product matches
all answers, the budget, the interest or both are ignored, and the page says so. The age is never ignored.
"""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import reflex as rx
from reflex.vars import NumberVar, ObjectVar

from backend.app import current_shop
from backend.catalog.category_tree import category_tree
from backend.catalog.schemas.cell_words import AGE_RANGES
from backend.catalog.storefront.product_list import (
    catalog_page,
    has_products_for_sale,
    read_age_facets,
)
from backend.catalog.views import CatalogFilter, CatalogPage, CategoryNode, ProductCard
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from storefront.components.frame import page_frame
from storefront.components.placeholders import (
    empty_shop,
    empty_state,
    grid_skeleton,
    link_button,
    loaded_content,
)
from storefront.components.product_card import CARD_SIZES, product_grid
from storefront.links import CATALOG, GIFT, catalog_path, gift_path
from storefront.meta import NOINDEX, DocumentMeta, absolute_url, to_first_picture
from storefront.pages.page_loader import PageData, PageParams, PageState, Reader
from storefront.reflex_ext.hooks import ABSENT
from storefront.state.frame import count_products

TITLE = _("Encuentra un regalo")
LEAD = _("Unas pocas preguntas, y una lista para quien recibe el regalo.")
NOTHING_TITLE = _("Todavía no tenemos nada para esta edad")
NOTHING_TEXT = _("Escoge otra edad, o mira todo el catálogo.")
BUDGETS: tuple[Cop, ...] = (50_000, 100_000, 200_000)
MAX_PRODUCTS = 24


@dataclass(frozen=True, slots=True)
class GiftChoice:
    """A possible answer to a question, and the path of the page with this answer."""

    label: str
    path: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class GiftQuestion:
    """A question with its possible answers."""

    title: str
    choices: list[GiftChoice]


@dataclass(frozen=True, slots=True)
class GiftContent:
    """Content of the gift finder: questions, products that match the answers, and the path of the complete list.

    Attributes:
        note: a sentence about the answers that were left out because no product matches them; empty if all were used.
        is_bare: True if no product is for sale.
    """

    questions: list[GiftQuestion] = field(default_factory=list)
    cards: list[ProductCard] = field(default_factory=list)
    total: int = 0
    more: str = ""
    note: str = ""
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class GiftAnswers:
    """The answers so far. The answer to a question that is not answered yet is empty or 0."""

    age: str = ""
    interest: str = ""
    """The handle of a category."""
    budget: Cop = 0

    @property
    def path(self) -> str:
        """Return the path of the page with these answers."""
        return gift_path(self.age, self.interest, self.budget)

    @property
    def product_filter(self) -> CatalogFilter:
        """Return the filter of the products that match these answers."""
        return CatalogFilter(
            categories=(self.interest,) if self.interest else (),
            ages=(self.age,) if self.age else (),
            max_price=self.budget or None,
        )


def parse_answers(params: PageParams) -> GiftAnswers:
    """Return the answers of the URL. An unknown budget is ignored."""
    budget = next((price for price in BUDGETS if params.get_parameter("budget") == str(price)), 0)
    return GiftAnswers(params.get_parameter("age"), params.get_parameter("interest"), budget)


async def load(params: PageParams) -> PageData[GiftContent]:
    """Read the questions and the matching products.

    Answers that the shop does not offer are ignored. A usual age range is kept even if it has no products, so that the
    page says so.
    """
    given = parse_answers(params)
    async with current_shop().database.read() as session:
        ages = [age.value for age in await read_age_facets(session)]
        departments = [node for node in await category_tree(session) if node.count]
        given = replace(
            given,
            age=given.age if given.age in ages or given.age in AGE_RANGES else "",
            interest=given.interest if any(node.handle == given.interest for node in departments) else "",
        )
    used, page = await find_products(given)
    offered_ages = [*ages, *([given.age] if given.age and given.age not in ages else [])]
    by_age = _question(
        _("¿Cuántos años tiene?"),
        given,
        (replace(given, age=""), _("Cualquier edad")),
        *((replace(given, age=age), _("{ages} años").format(ages=age)) for age in offered_ages),
    )
    questions = [
        *([by_age] if offered_ages else []),
        _question(
            _("¿Qué le gusta?"),
            given,
            (replace(given, interest=""), _("De todo un poco")),
            *((replace(given, interest=node.handle), node.name) for node in departments),
        ),
        _question(
            _("¿Cuánto quieres gastar?"),
            given,
            (replace(given, budget=0), _("Sin límite")),
            *(
                (replace(given, budget=price), _("Hasta {price}").format(price=format_cop(price)))
                for price in BUDGETS
            ),
        ),
    ]
    more = catalog_path(used.interest, age=used.age)
    content = GiftContent(
        questions,
        page.cards,
        page.total,
        more=more if page.total > len(page.cards) else "",
        note=describe_omissions(given, used, departments) if page.total else "",
        is_bare=not page.total and await is_shop_bare(),
    )
    return PageData(content, build_meta(content, given))


async def find_products(given: GiftAnswers) -> tuple[GiftAnswers, CatalogPage]:
    """Return the answers that were used, and the products that match them.

    If no product matches all answers, search without the budget, then without the interest, then without both. The
    age is never left out.
    """
    attempts = [
        given,
        replace(given, budget=0),
        replace(given, interest=""),
        replace(given, budget=0, interest=""),
    ]
    async with current_shop().database.read() as session:
        for answers in dict.fromkeys(attempts):
            page = await catalog_page(session, answers.product_filter, limit=MAX_PRODUCTS)
            if page.total:
                break
    return answers, page


async def is_shop_bare() -> bool:
    """Return True if no product is for sale."""
    async with current_shop().database.read() as session:
        return not await has_products_for_sale(session)


def describe_omissions(given: GiftAnswers, used: GiftAnswers, departments: list[CategoryNode]) -> str:
    """Return the sentence about the answers that were left out; empty if all were used."""
    price = format_cop(given.budget)
    interest = next((node.name for node in departments if node.handle == given.interest), "")
    is_over_budget, is_of_other_kind = used.budget != given.budget, used.interest != given.interest
    if is_over_budget and is_of_other_kind:
        text = _("No hay nada de «{interest}», ni hasta {price}. Estos son de otras cosas y cuestan más.")
    elif is_over_budget:
        text = _("No hay nada hasta {price}. Estos cuestan más y cumplen con lo demás.")
    elif is_of_other_kind:
        text = _("No hay nada de «{interest}». Estos son de otras cosas y cumplen con lo demás.")
    else:
        return ""
    return text.format(price=price, interest=interest)


def build_meta(content: GiftContent, given: GiftAnswers) -> DocumentMeta:
    """Return the status and head of the document. Search engines may index only the page without answers."""
    first = next((card.picture for card in content.cards if card.picture), None)
    return DocumentMeta(
        title=TITLE,
        description=LEAD,
        image=absolute_url(first.url) if first else "",
        canonical=absolute_url(GIFT),
        robots=NOINDEX if given != GiftAnswers() else "index,follow",
        first_picture=to_first_picture(first, CARD_SIZES),
    )


def _question(title: str, given: GiftAnswers, *choices: tuple[GiftAnswers, str]) -> GiftQuestion:
    """Return a question. Each choice is a pair: all answers after it is chosen, and its label."""
    return GiftQuestion(
        title, [GiftChoice(label, answers.path, answers == given) for answers, label in choices]
    )


class GiftState(PageState, rx.State):
    """The displayed questions and products."""

    shows_units: ClassVar[bool] = False

    content: rx.Field[GiftContent] = rx.field(default_factory=GiftContent)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=TITLE))

    def _reader(self, params: PageParams) -> Reader:
        return partial(load, params)


def question_section(row: ObjectVar[GiftQuestion], place: NumberVar[int]) -> rx.Component:
    """Build a question with its answers side by side."""

    def choice(item: ObjectVar[GiftChoice]) -> rx.Component:
        return rx.el.li(
            rx.el.a(
                item.label,
                href=item.path,
                class_name="pill",
                custom_attrs={"aria-current": rx.cond(item.is_chosen, "true", ABSENT)},
            ),
            key=item.label,
        )

    return rx.el.section(
        rx.el.h2(
            rx.el.span(place + 1, class_name="gift__number", aria_hidden="true"),
            row.title,
            class_name="gift__title",
        ),
        rx.el.ul(rx.foreach(row.choices, choice), class_name="gift__choices"),
        key=row.title,
    )


def gift_products() -> rx.Component:
    """Build the list of the matching products, or the message that there are none for this age."""
    content = GiftState.content
    empty = empty_state(
        "empty-gift",
        NOTHING_TITLE,
        NOTHING_TEXT,
        link_button(_("Ver el catálogo"), CATALOG),
        level=2,
        test_id="gift-nothing",
    )
    counted = count_products(content.total)
    return rx.el.section(
        rx.el.div(rx.el.h2(counted, class_name="section__title", data_testid="result-count"), role="status"),
        rx.cond(
            content.note != "",
            rx.el.p(content.note, class_name="gift__note", role="status", data_testid="gift-note"),
        ),
        rx.cond(
            content.cards.length() > 0, product_grid(content.cards, class_name="grid gift__found"), empty
        ),
        rx.cond(
            content.more != "",
            rx.el.div(link_button(_("Ver todos"), content.more, "quiet"), class_name="more"),
        ),
    )


def page() -> rx.Component:
    """Build the whole page."""
    return page_frame(
        rx.el.div(
            rx.el.h1(TITLE, class_name="page-title"),
            rx.el.p(LEAD, class_name="page-lead"),
            class_name="page-head",
        ),
        loaded_content(
            GiftState.is_ready,
            GiftState.has_failed,
            GiftState.load,
            grid_skeleton(8),
            rx.cond(
                GiftState.content.is_bare,
                empty_shop(),
                rx.el.div(
                    rx.foreach(GiftState.content.questions, question_section),
                    gift_products(),
                    class_name="gift",
                ),
            ),
        ),
    )
