"""A card and a cart line of a product."""

from backend.cart.views import CartLine
from backend.catalog.views import ProductCard


def card(product_id: str, price: int = 1000) -> ProductCard:
    """Return a card of the product."""
    return ProductCard(
        id=product_id,
        handle=product_id,
        title=product_id,
        subtitle="",
        brand="",
        age_range="",
        price=price,
        price_label=f"$ {price}",
        compare_at_price=None,
        compare_at_label=None,
        percent_off=None,
        available=True,
        is_new=False,
        featured=False,
        variant_id=f"variant_{product_id}",
        picture=None,
        second_picture=None,
    )


def line(product_id: str) -> CartLine:
    """Return a line of the product."""
    return CartLine(
        id=f"cali_{product_id}",
        variant_id=f"variant_{product_id}",
        product_id=product_id,
        product_handle="",
        title="",
        variant="",
        brand="",
        quantity=1,
        max_quantity=1,
        unit_price=1000,
        unit_price_label="$ 1000",
        compare_at_label=None,
        line_total_label="$ 1000",
        picture=None,
        problem=None,
    )
