"""Files of products in the formats that Shopify and WooCommerce import, so that a shop can move to these platforms."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby, zip_longest
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import Tree, read_tree
from backend.catalog.importer.columns import OPTIONS
from backend.catalog.models import Product, Variant
from backend.catalog.products.options import IMPLIED_TITLE
from backend.catalog.products.tags_and_types import TagsAndType, read_tags_and_types
from backend.core.web.html_text import BULLET
from backend.exports.platform_products import Cells
from backend.imports.rows.changes import read_current_values
from backend.media.picture_urls import to_absolute_picture_url
from backend.shipping.locations import find_first_location_id

MAX_OPTIONS = 3
SHOPIFY_COLUMNS = (
    "Handle", "Title", "Body (HTML)", "Vendor", "Product Category", "Type", "Tags", "Published", "Option1 Name",
    "Option1 Value", "Option2 Name", "Option2 Value", "Option3 Name", "Option3 Value", "Variant SKU", "Variant Grams",
    "Variant Inventory Tracker", "Variant Inventory Qty", "Variant Inventory Policy", "Variant Fulfillment Service",
    "Variant Price", "Variant Compare At Price", "Variant Requires Shipping", "Variant Taxable", "Variant Barcode",
    "Image Src", "Image Position", "Image Alt Text", "Gift Card", "SEO Title", "SEO Description", "Variant Image",
    "Variant Weight Unit", "Variant Tax Code", "Cost per item", "Status",
)  # fmt: skip
WOOCOMMERCE_COLUMNS = (
    "ID", "Type", "SKU", "GTIN, UPC, EAN, or ISBN", "Name", "Published", "Is featured?", "Visibility in catalog",
    "Short description", "Description", "Date sale price starts", "Date sale price ends", "Tax status", "Tax class",
    "In stock?", "Stock", "Low stock amount", "Backorders allowed?", "Sold individually?", "Weight (kg)",
    "Length (cm)", "Width (cm)", "Height (cm)", "Allow customer reviews?", "Purchase note", "Sale price",
    "Regular price", "Categories", "Tags", "Shipping class", "Images", "Download limit", "Download expiry days",
    "Parent", "Grouped products", "Upsells", "Cross-sells", "External URL", "Button text", "Position", "Brands",
    *(
        f"Attribute {number} {part}"
        for number in range(1, MAX_OPTIONS + 1)
        for part in ("name", "value(s)", "visible", "global")
    ),
)  # fmt: skip
TAX_CLASSES = {0: "zero-rate", 5: "reduced-rate"}
"""Names of WooCommerce's tax classes by rate of IVA. Every other rate gets WooCommerce's standard class."""
GRAMS_PER_KILOGRAM = 1000
OWN_PICTURE = "own picture"
"""Key of a variant's values: the absolute address of the first picture of its option values, if it has one."""


@dataclass(frozen=True, slots=True)
class ProductEntry:
    """A product with the values of its variants.

    Attributes:
        product: the product.
        variants: the values of each variant, by column. Without variants: one item with the product's values.
        options: titles and values of each variant's options, in the same order.
        categories: for each category, the names from its top category down to it.
        pictures: absolute URLs.
        words: its tags and its type.
    """

    product: Product
    variants: list[Mapping[str, Any]]
    options: list[dict[str, str]]
    categories: list[list[str]]
    pictures: list[str]
    words: TagsAndType

    @property
    def tags(self) -> list[str]:
        """Return the names of the product's tags."""
        return [tag["value"] for tag in self.words.tags]


async def build_shopify_cells(
    session: AsyncSession, products: Sequence[Product], base_url: str
) -> list[Cells]:
    """Return rows of cells by `SHOPIFY_COLUMNS`.

    A product has as many rows as variants or as pictures, whichever number is higher.
    """
    entries = await _read_entries(session, products, base_url)
    return [cells for entry in entries for cells in _to_shopify_cells(entry)]


async def build_woocommerce_cells(
    session: AsyncSession, products: Sequence[Product], base_url: str
) -> list[Cells]:
    """Return rows of cells by `WOOCOMMERCE_COLUMNS`.

    A product without options has one row; any other product has a row for itself and one for each variation.
    """
    entries = await _read_entries(session, products, base_url)
    return [cells for entry in entries for cells in _to_woocommerce_cells(entry)]


async def _read_entries(
    session: AsyncSession, products: Sequence[Product], base_url: str
) -> list[ProductEntry]:
    by_id = {product.id: product for product in products}
    query = select(Variant).where(Variant.product_id.in_(by_id)).order_by(Variant.rank, Variant.id)
    variants: dict[str, list[Variant | None]] = {product.id: [] for product in products}
    for variant in (await session.execute(query)).scalars():
        variants[variant.product_id].append(variant)
    pairs = [(product, variant) for product in products for variant in variants[product.id] or [None]]
    read = await read_current_values(session, pairs, await find_first_location_id(session))
    values: list[Mapping[str, Any]] = [
        {**one, OWN_PICTURE: to_absolute_picture_url(variant.thumbnail, base_url) if variant else None}
        for (_product, variant), one in zip(pairs, read, strict=True)
    ]
    words = await read_tags_and_types(session, sorted(by_id))
    tree = await read_tree(session)
    return [
        _to_entry(product, [one for _pair, one in some], words.get(product.id, TagsAndType()), tree, base_url)
        for product, some in (
            (product, list(rows))
            for product, rows in groupby(zip(pairs, values, strict=True), key=lambda pair: pair[0][0])
        )
    ]


def _to_entry(
    product: Product, variants: list[Mapping[str, Any]], words: TagsAndType, tree: Tree, base_url: str
) -> ProductEntry:
    options = [dict(values[OPTIONS]) for values in variants]
    if len(variants) > 1 and not all(options):  # variants that differ only in their titles
        options = [{IMPLIED_TITLE: values["variant_title"] or ""} for values in variants]
    addresses = (to_absolute_picture_url(url, base_url) for url in variants[0]["pictures"])
    return ProductEntry(
        product,
        variants,
        options,
        [_list_names(tree, handle) for handle in variants[0]["categories"]],
        [url for url in addresses if url],
        words,
    )


def _list_names(tree: Tree, handle: str) -> list[str]:
    """Return the names of a category and of its parent categories; the top category is the first."""
    category = tree.by_handle.get(handle)
    return [step.name for step in tree.breadcrumb_to(category.id)] if category is not None else []


def _to_shopify_cells(entry: ProductEntry) -> Iterator[Cells]:
    product = entry.product
    common = {
        "Title": product.title,
        "Body (HTML)": _to_html(product.description),
        "Vendor": product.brand,
        "Type": entry.words.type["value"] if entry.words.type else "",
        "Tags": ", ".join(dict.fromkeys(map(_drop_commas, [*entry.tags, *_last_names(entry.categories)]))),
        "Published": "TRUE" if product.status == "published" else "FALSE",
        "Gift Card": "FALSE",
        "SEO Title": product.seo_title,
        "SEO Description": product.seo_description,
        "Status": "active" if product.status == "published" else "draft",
    }
    variants = [
        _to_shopify_variant(entry, values, options)
        for values, options in zip(entry.variants, entry.options, strict=True)
    ]
    for number, (variant, picture) in enumerate(zip_longest(variants, entry.pictures), start=1):
        cells: dict[str, object] = {"Handle": product.handle, **(variant or {})}
        if number == 1:
            cells |= common
        if picture:
            cells |= {"Image Src": picture, "Image Position": number}
        yield cells


def _to_shopify_variant(
    entry: ProductEntry, values: Mapping[str, Any], options: Mapping[str, str]
) -> dict[str, object]:
    weight = entry.product.weight
    cells: dict[str, object] = {
        "Variant SKU": values.get("sku"),
        "Variant Grams": round(weight * GRAMS_PER_KILOGRAM, 3) if weight else 0,
        "Variant Inventory Tracker": "shopify",
        "Variant Inventory Qty": values["stock"] or 0,
        "Variant Inventory Policy": "deny",
        "Variant Fulfillment Service": "manual",
        "Variant Price": values.get("price"),
        "Variant Compare At Price": values.get("compare_at_price"),
        "Variant Requires Shipping": "TRUE",
        "Variant Taxable": "TRUE" if entry.product.tax_rate else "FALSE",
        "Variant Barcode": values.get("ean"),
        "Variant Weight Unit": "kg",
        "Variant Image": values[OWN_PICTURE],
        "Cost per item": values.get("cost"),
    }
    for number, (title, value) in enumerate((options or {"Title": "Default Title"}).items(), start=1):
        cells |= {f"Option{number} Name": title, f"Option{number} Value": value}
    return cells


def _to_woocommerce_cells(entry: ProductEntry) -> Iterator[Cells]:
    product = entry.product
    common: dict[str, object] = {
        "Name": product.title,
        "Published": 1 if product.status == "published" else 0,
        "Is featured?": int(product.featured),
        "Visibility in catalog": "visible",
        "Short description": product.subtitle,
        "Description": _to_html(product.description).replace("\n", "\\n"),
        "Tax status": "taxable",
        "Tax class": TAX_CLASSES.get(product.tax_rate, ""),
        "In stock?": int(any(values["stock"] for values in entry.variants)),
        "Backorders allowed?": 0,
        "Weight (kg)": product.weight,
        "Length (cm)": product.length,
        "Width (cm)": product.width,
        "Height (cm)": product.height,
        "Categories": _join_commas(" > ".join(names) for names in entry.categories),
        "Tags": _join_commas(entry.tags),
        "Images": _join_commas(entry.pictures),
        "Brands": _join_commas([product.brand] if product.brand else []),
    }
    if not any(entry.options):
        yield {**common, "Type": "simple", **_to_woocommerce_offer(entry.variants[0])}
        return
    skus = {values["sku"] for values in entry.variants}
    parent = product.handle if product.handle not in skus else f"{product.handle}-0"
    titles = dict.fromkeys(title for options in entry.options for title in options)
    attributes = {
        title: _join_commas(dict.fromkeys(options[title] for options in entry.options if title in options))
        for title in titles
    }
    yield {**common, "Type": "variable", "SKU": parent, **_to_attributes(attributes)}
    for values, options in zip(entry.variants, entry.options, strict=True):
        yield {
            "Type": "variation",
            "Name": " - ".join([product.title, ", ".join(options.values())]),
            "Published": 1,
            "Tax status": "taxable",
            "Tax class": "parent",
            "Parent": parent,
            "Images": _join_commas([values[OWN_PICTURE]] if values[OWN_PICTURE] else []),
            **_to_woocommerce_offer(values),
            **_to_attributes({title: _escape_commas(value) for title, value in options.items()}),
        }


def _to_woocommerce_offer(values: Mapping[str, Any]) -> dict[str, object]:
    """Return the cells of a variant: its codes, prices and units."""
    before = values.get("compare_at_price")
    price = values.get("price")
    is_reduced = before is not None and price is not None and before > price
    return {
        "SKU": values.get("sku"),
        "GTIN, UPC, EAN, or ISBN": values.get("ean"),
        "In stock?": int(bool(values["stock"])),
        "Stock": values["stock"] or 0,
        "Sale price": price if is_reduced else "",
        "Regular price": before if is_reduced else price,
    }


def _to_attributes(values: Mapping[str, str]) -> dict[str, object]:
    cells: dict[str, object] = {}
    for number, (title, value) in enumerate(list(values.items())[:MAX_OPTIONS], start=1):
        cells |= {
            f"Attribute {number} name": title,
            f"Attribute {number} value(s)": value,
            f"Attribute {number} visible": 1,
            f"Attribute {number} global": 0,
        }
    return cells


def _last_names(categories: Sequence[Sequence[str]]) -> list[str]:
    return [names[-1] for names in categories if names]


def _drop_commas(text: str) -> str:
    return " ".join(text.replace(",", " ").split())


def _escape_commas(text: str) -> str:
    return text.replace(",", "\\,")


def _join_commas(parts: Any) -> str:
    return ", ".join(map(_escape_commas, parts))


def _to_html(text: str) -> str:
    """Convert a text to HTML: empty lines separate paragraphs, and lines with a bullet become lists."""
    paragraphs = [part for part in text.replace("\r\n", "\n").split("\n\n") if part.strip()]
    return "\n".join(_to_html_block(part.strip()) for part in paragraphs)


def _to_html_block(text: str) -> str:
    parts: list[str] = []
    for is_list, lines in groupby(text.split("\n"), key=lambda line: line.startswith(BULLET)):
        if is_list:
            items = "".join(
                f"<li>{escape(line.removeprefix(BULLET).strip(), quote=False)}</li>" for line in lines
            )
            parts.append(f"<ul>{items}</ul>")
        else:
            parts.append(f"<p>{'<br>'.join(escape(line, quote=False) for line in lines)}</p>")
    return "".join(parts)
