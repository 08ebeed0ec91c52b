"""The gift finder: three questions, each answered with one press, and the toys that fit below them.

Every answer is in the address, so a list can be sent to somebody, and the page works without scripts.
"""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import reflex as rx
from reflex.vars import NumberVar, ObjectVar

from backend.app import current_shop
from backend.catalog.category_tree import category_tree
from backend.catalog.storefront.product_list import ages_of, catalog_page
from backend.catalog.views import CatalogFilter, ProductCard
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from storefront.components.frame import framed
from storefront.components.pictures import OG_IMAGE
from storefront.components.placeholders import grid_skeleton, link_button, until
from storefront.components.product_card import CARD_SIZES, product_grid
from storefront.components.product_suggestions import offered_toys
from storefront.links import GIFT, catalog_path, gift_path
from storefront.meta import NOINDEX, DocumentMeta, absolute, first_picture
from storefront.pages.page_loader import PageData, PageParams, PageState, Reading
from storefront.reflex_ext.hooks import ABSENT

TITLE = _("Encuentra un regalo")
LEAD = _("Tres preguntas, y una lista de juguetes para quien los va a recibir.")
BUDGETS: tuple[Cop, ...] = (50_000, 100_000, 200_000)
MOST = 24


@dataclass(frozen=True, slots=True)
class GiftChoice:
    """An answer, and the address at which it is given."""

    label: str
    path: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class GiftQuestion:
    """A question with its answers."""

    title: str
    choices: list[GiftChoice]


@dataclass(frozen=True, slots=True)
class GiftContent:
    """The questions, the toys that fit the answers so far, and where all of them are."""

    questions: list[GiftQuestion] = field(default_factory=list)
    cards: list[ProductCard] = field(default_factory=list)
    total: int = 0
    more: str = ""


@dataclass(frozen=True, slots=True)
class Answers:
    """What was answered so far; empty or 0 where nothing was."""

    age: str = ""
    interest: str = ""
    """The handle of a category."""
    budget: Cop = 0

    @property
    def path(self) -> str:
        """The address of these answers."""
        return gift_path(self.age, self.interest, self.budget)


def answers_of(params: PageParams) -> Answers:
    """The answers in an address. What is no budget of ours is none."""
    budget = next((one for one in BUDGETS if params.asked("budget") == str(one)), 0)
    return Answers(params.asked("age"), params.asked("interest"), budget)


async def load(params: PageParams) -> PageData[GiftContent]:
    """The questions and the toys. Answers that nobody offers are as if they were not given."""
    given = answers_of(params)
    async with current_shop().database.read() as session:
        ages = await ages_of(session)
        departments = [node for node in await category_tree(session) if node.count]
        given = replace(
            given,
            age=given.age if any(one.value == given.age for one in ages) else "",
            interest=given.interest if any(one.handle == given.interest for one in departments) else "",
        )
        wanted = CatalogFilter(
            categories=(given.interest,) if given.interest else (),
            ages=(given.age,) if given.age else (),
            highest=given.budget or None,
        )
        page = await catalog_page(session, wanted, limit=MOST)
    questions = [
        _question(
            _("¿Cuántos años tiene?"),
            given,
            (replace(given, age=""), _("Cualquier edad")),
            *((replace(given, age=one.value), _("{ages} años").format(ages=one.label)) for one in ages),
        ),
        _question(
            _("¿Qué le gusta?"),
            given,
            (replace(given, interest=""), _("De todo un poco")),
            *((replace(given, interest=one.handle), one.name) for one in departments),
        ),
        _question(
            _("¿Cuánto quieres gastar?"),
            given,
            (replace(given, budget=0), _("Sin límite")),
            *(
                (replace(given, budget=one), _("Hasta {price}").format(price=format_cop(one)))
                for one in BUDGETS
            ),
        ),
    ]
    more = catalog_path(given.interest, age=given.age)
    content = GiftContent(questions, page.cards, page.total, more if page.total > len(page.cards) else "")
    return PageData(content, meta_of(content, given))


def meta_of(content: GiftContent, given: Answers) -> DocumentMeta:
    """The document: the page without answers is for search engines, the lists are the catalogue's."""
    first = next((card.picture for card in content.cards if card.picture), None)
    return DocumentMeta(
        title=TITLE,
        description=LEAD,
        image=absolute(first.url if first else OG_IMAGE),
        canonical=absolute(GIFT),
        robots=NOINDEX if given != Answers() else "index,follow",
        first_picture=first_picture(first, CARD_SIZES),
    )


def _question(title: str, given: Answers, *choices: tuple[Answers, str]) -> GiftQuestion:
    """A question, whose answers are what would be given with each."""
    return GiftQuestion(
        title, [GiftChoice(label, answers.path, answers == given) for answers, label in choices]
    )


class GiftState(PageState, rx.State):
    """The questions and the toys that are shown."""

    shows_units: ClassVar[bool] = False

    content: rx.Field[GiftContent] = rx.field(default_factory=GiftContent)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=TITLE))

    def _reading(self, params: PageParams) -> Reading:
        return partial(load, params)


def question(asked: ObjectVar[GiftQuestion], place: NumberVar[int]) -> rx.Component:
    """A question, and its answers side by side."""

    def choice(one: ObjectVar[GiftChoice]) -> rx.Component:
        return rx.el.li(
            rx.el.a(
                one.label,
                href=one.path,
                class_name="pill",
                custom_attrs={"aria-current": rx.cond(one.is_chosen, "true", ABSENT)},
            ),
            key=one.label,
        )

    return rx.el.section(
        rx.el.h2(
            rx.el.span(place + 1, class_name="gift__number", aria_hidden="true"),
            asked.title,
            class_name="gift__title",
        ),
        rx.el.ul(rx.foreach(asked.choices, choice), class_name="gift__choices"),
        key=asked.title,
    )


def found() -> rx.Component:
    """The toys that fit."""
    content = GiftState.content
    counted = rx.cond(content.total == 1, _("1 juguete"), _("{n} juguetes").format(n=content.total))
    return rx.el.section(
        rx.el.h2(counted, class_name="section__title", role="status", data_testid="result-count"),
        rx.cond(
            content.cards.length() > 0,
            product_grid(content.cards, class_name="grid gift__found"),
            rx.fragment(
                rx.el.p(_("Nada cumple con todo. Prueba con otro precio o con otra edad.")), offered_toys()
            ),
        ),
        rx.cond(
            content.more != "",
            rx.el.div(link_button(_("Ver todos"), content.more, "quiet"), class_name="more"),
        ),
    )


def page() -> rx.Component:
    """The whole page."""
    return framed(
        rx.el.div(
            rx.el.h1(TITLE, class_name="page-title"),
            rx.el.p(LEAD, class_name="page-lead"),
            class_name="page-head",
        ),
        until(
            GiftState.is_ready,
            GiftState.has_failed,
            GiftState.load,
            grid_skeleton(8),
            rx.el.div(rx.foreach(GiftState.content.questions, question), found(), class_name="gift"),
        ),
    )
