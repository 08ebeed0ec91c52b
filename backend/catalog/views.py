"""The values that pages get from the catalogue: frozen and typed, never rows of a table."""

from dataclasses import dataclass, field

from backend.catalog.product_facts import FactView
from backend.catalog.ratings import RatingView
from backend.core.money import Cop
from backend.media.videos import VideoView


@dataclass(frozen=True, slots=True)
class PictureView:
    """A picture and its files by width. `srcset` is ready for the attribute: its URLs are percent-encoded."""

    url: str
    alt: str
    width: int
    height: int
    srcset: str


@dataclass(frozen=True, slots=True)
class CategoryRef:
    """The name and the handle of a category or collection."""

    handle: str
    name: str


@dataclass(frozen=True, slots=True)
class CategoryNode:
    """A category of the tree, with its children and the number of published products in it and in its descendants.

    `picture` is the URL of its own picture; empty without one.
    """

    id: str
    handle: str
    name: str
    description: str
    count: int
    picture: str = ""
    initial: str = ""
    children: list["CategoryNode"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SwatchView:
    """A colour in which a product is sold: its name, and the colour as `#rrggbb`."""

    name: str
    color: str


@dataclass(frozen=True, slots=True)
class ProductCard:
    """A product in a list (spec: Storefront view rules 1).

    `percent_off` and `compare_at_label` are None without a discount. `available` means that a unit can be sold now.
    With several variants, the card shows the cheapest that can be sold (`variant_id`); if their prices differ,
    `price_label` says "from".
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
    """True if there are several variants to choose from."""
    rating: RatingView | None = None
    """The customers' rating; None without a published review."""
    swatches: list[SwatchView] = field(default_factory=list)
    """Some of the colours to choose from; empty if the product has no such choice."""
    is_preorder: bool = False
    """True if its units are sold before they arrive at the shop."""


@dataclass(frozen=True, slots=True)
class OptionView:
    """An option of a product, such as the colour, and its values to choose from, in order.

    `colors` has the colour of each choice as `#rrggbb`, or an empty text if it has none.
    """

    title: str
    choices: list[str]
    colors: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class VariantView:
    """A variant that a shopper may choose.

    `values` has one value for each option of the product, in the options' order.

    `compare_at_label` and `percent_off` are None without a discount.
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
    picture: int = -1
    """Index of its own first picture in the product's pictures; -1 if it has none of its own."""


@dataclass(frozen=True, slots=True)
class ProductDetail:
    """Content of the product page. A product without options has only one variant."""

    card: ProductCard
    description: str
    options: list[OptionView]
    variants: list[VariantView]
    pictures: list[PictureView]
    breadcrumb: list[CategoryRef]
    """The path from a department down to the product's deepest category."""
    collection: CategoryRef | None
    facts: list[FactView]
    related: list[ProductCard]
    brand_handle: str = ""
    """Handle of the brand's page; empty without a brand."""
    tax_rate: int = 0
    """The IVA included in the price, in percent."""
    video: VideoView | None = None
    preorder_day: str = ""
    """The day on which the units of a preorder arrive at the shop, as an ISO date; empty without a preorder."""
    preorder_label: str = ""


@dataclass(frozen=True, slots=True)
class Facet:
    """A value of a filter, and the number of products that choosing it would show."""

    value: str
    label: str
    count: int


DEFAULT_SORT = "featured"


@dataclass(frozen=True, slots=True)
class CatalogFilter:
    """A shopper's filter of the catalogue. Empty fields do not filter. Values of one kind are alternatives."""

    text: str = ""
    categories: tuple[str, ...] = ()
    """Category handles; a category includes its descendants."""
    collection_id: str = ""
    brands: tuple[str, ...] = ()
    ages: tuple[str, ...] = ()
    on_sale: bool = False
    min_price: Cop | None = None
    max_price: Cop | None = None
    """The price range in pesos, both ends included. A product's price is that of its cheapest variant."""
    sort: str = DEFAULT_SORT
    """`featured`, `new`, `price_asc`, `price_desc` or `title`; any other value means `featured`."""


@dataclass(frozen=True, slots=True)
class CatalogPage:
    """A page of the product list, with the facets of its filter.

    `near` is None if the list contains the products that match the text. If no product matches all of it, the list
    is the whole catalogue, of which `near` products match a part of the text. They come first in the default order.
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
    """A product in the search suggestions. `available` means that a unit can be sold now."""

    handle: str
    title: str
    brand: str
    price_label: str
    available: bool
    picture: PictureView | None


@dataclass(frozen=True, slots=True)
class SearchHits:
    """The products that match a search; if there are none, the products that match it only in part."""

    hits: list[SearchHit] = field(default_factory=list)
    near: list[SearchHit] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SearchSuggestion:
    """A category or a brand that the typed text may mean, with the handle of its page.

    `kind` is `category` or `brand`.
    """

    kind: str
    name: str
    handle: str


@dataclass(frozen=True, slots=True)
class HomeContent:
    """Content of the home page.

    `slides` are the featured products that can be bought. If there are none, `slides` are the cards of the section
    below the banner. If no product is for sale, `slides` is empty, and the page shows its static slide.
    """

    slides: list[ProductCard]
    new_or_featured: list[ProductCard]
    on_sale: list[ProductCard]
    ages: list[Facet]
