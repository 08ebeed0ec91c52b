"""The address as the browser knows it, at once and without asking the server."""

import reflex as rx
from reflex_base.utils.imports import ImportVar
from reflex_base.vars import VarData

_PARAMS = VarData(
    imports={"react-router": [ImportVar(tag="useParams")]}, hooks={"const addressParts = useParams()": None}
)


def address_part(name: str) -> rx.Var[str]:
    """A varying part of the path, such as the `slug` of `/product/[slug]`."""
    return rx.Var(f'(addressParts["{name}"] ?? "")', _var_type=str, _var_data=_PARAMS).to(str)
