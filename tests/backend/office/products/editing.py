"""The product form, opened, changed and submitted by a staff member."""

from dataclasses import replace
from typing import Any

from backend.app import Shop
from backend.office.products.draft import Draft, VariantDraft
from backend.office.products.editor import ProductForm, new_product_form, read_product_form
from backend.office.products.saving import SubmittedForm, save_form
from backend.staff.rights import Actor, Role

LINA, BERTA = Actor("user_lina", Role.SHOP), Actor("user_berta", Role.OWNER)


async def open_form(shop: Shop, product_id: str = "", actor: Actor = LINA) -> ProductForm:
    """Return the current form of a product, or a new form."""
    async with shop.database.read() as session:
        return await (
            read_product_form(session, actor, product_id) if product_id else new_product_form(session, actor)
        )


def edit_form(form: ProductForm, *, units: dict[str, int] | None = None, **changes: Any) -> SubmittedForm:
    """Return the form as it is submitted with these changes.

    `changes` has new values of fields of `Draft`, such as `options`. Any other name is that of a text field.
    """
    draft = form.base.draft
    parts = {name: changes.pop(name) for name in list(changes) if name in Draft.__dataclass_fields__}
    draft = replace(draft, texts={**draft.texts, **changes}, **parts)
    location = form.locations[0].id if form.locations else ""
    return SubmittedForm(form.base, draft, units or {}, location)


async def save(shop: Shop, wanted: SubmittedForm, actor: Actor = LINA) -> str:
    async with shop.database.transaction() as session:
        return await save_form(session, actor, wanted)


def change_first_variant(form: ProductForm, **values: str) -> list[VariantDraft]:
    """Return the variants with the first one changed."""
    one, *others = form.base.draft.variants
    return [replace(one, **values), *others]
