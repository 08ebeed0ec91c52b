"""The values that pages get from the catalogue: frozen and typed, never a table's row."""

from dataclasses import dataclass, field

from backend.catalog.product_facts import FactView
from backend.catalog.ratings import RatingView
from backend.core.money import Cop
from backend.media.videos import VideoView


@dataclass(frozen=True, slots=True)
class PictureView:
    """A picture and its files by width. `srcset` is ready for the attribute: its urls are percent-encoded."""

    url: str
    alt: str
    width: int
    height: int
    srcset: str


@dataclass(frozen=True, slots=True)
class CategoryRef:
    """A category by name."""

    handle: str
    name: str


@dataclass(frozen=True, slots=True)
class CategoryNode:
    """A category in the tree, with its children and the number of published products in it or below it."""

    id: str
    handle: str
    name: str
    description: str
    count: int
    children: list["CategoryNode"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ProductCard:
    """What a list shows of a product (spec: Storefront view rules 1).

    `percent_off` and `compare_at_label` are None when nothing is saved. `available` means that a unit can be sold now.
    Of several variants it shows the one that costs least of those that can be sold (`variant_id`); where prices differ,
    `price_label` says that they begin there.
    """

    id: str
    handle: str
    title: str
    subtitle: str
    brand: str
    age_range: str
    price: Cop
    price_label: str
    compare_at_price: Cop | None
    compare_at_label: str | None
    percent_off: int | None
    available: bool
    is_new: bool
    featured: bool
    variant_id: str
    picture: PictureView | None
    second_picture: PictureView | None
    has_choice: bool = False
    """Whether there are several variants to choose from."""
    rating: RatingView | None = None
    """How its buyers rate it; None while no review is shown."""


@dataclass(frozen=True, slots=True)
class OptionView:
    """In what the variants of a product differ, such as their colour, and what there is to choose, in its order."""

    title: str
    choices: list[str]


@dataclass(frozen=True, slots=True)
class VariantView:
    """A variant that a shopper may choose. `values` are those of the product's options, in the options' order.

    `compare_at_label` and `percent_off` are None when nothing is saved.
    """

    id: str
    title: str
    values: list[str]
    sku: str
    price: Cop
    price_label: str
    compare_at_label: str | None
    percent_off: int | None
    stock: int
    available: bool
    has_price: bool = True


@dataclass(frozen=True, slots=True)
class ProductDetail:
    """What the product page shows. Without options there is nothing to choose: there is one variant."""

    card: ProductCard
    description: str
    options: list[OptionView]
    variants: list[VariantView]
    pictures: list[PictureView]
    breadcrumb: list[CategoryRef]
    """From the top of the tree down to the product's deepest category."""
    collection: CategoryRef | None
    facts: list[FactView]
    related: list[ProductCard]
    brand_handle: str = ""
    """Of the brand's page; empty without a brand."""
    tax_rate: int = 0
    """The IVA that is in its price, in percent."""
    video: VideoView | None = None


@dataclass(frozen=True, slots=True)
class Facet:
    """One value of a filter and the number of products that choosing it would show."""

    value: str
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class CatalogFilter:
    """What a shopper narrows the catalogue by. Empty means: everything. Values of one kind are alternatives."""

    text: str = ""
    categories: tuple[str, ...] = ()
    """Category handles; a category includes its descendants."""
    brands: tuple[str, ...] = ()
    ages: tuple[str, ...] = ()
    on_sale: bool = False
    lowest: Cop | None = None
    highest: Cop | None = None
    """The prices between which a product costs, both included: of several variants, the one that costs least."""
    sort: str = "featured"
    """`featured`, `new`, `price_asc`, `price_desc`, `title`; anything else is taken for `featured`."""


@dataclass(frozen=True, slots=True)
class CatalogPage:
    """A page of the catalogue's list, with the facets of its filter.

    `near` is None where the list holds what was asked for. Where nothing has all of it, the list is the whole
    catalogue, and the first `near` products have some of it.
    """

    cards: list[ProductCard]
    total: int
    offset: int
    limit: int
    categories: list[Facet]
    brands: list[Facet]
    ages: list[Facet]
    near: int | None = None


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A line of the search suggestions."""

    handle: str
    title: str
    brand: str
    price_label: str
    picture: PictureView | None


@dataclass(frozen=True, slots=True)
class SearchPlace:
    """A category or a brand that a search may mean, with the handle of its page. `kind` is `category` or `brand`."""

    kind: str
    name: str
    handle: str


@dataclass(frozen=True, slots=True)
class HomeContent:
    """What the home page shows.

    `slides` follows the fallbacks of the specification: featured and available; else the cards of the section below;
    empty when the store has no active product (the page then shows its static slide).
    """

    slides: list[ProductCard]
    new_or_featured: list[ProductCard]
    on_sale: list[ProductCard]
    categories: list[CategoryNode]
    ages: list[Facet]
