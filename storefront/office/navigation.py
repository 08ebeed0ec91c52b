"""The places of the office, as its navigation and its search list them. A screen that opens one adds a line here."""

from dataclasses import dataclass

from backend.content.areas import Area
from backend.core.texts import _
from backend.staff.rights import Right
from storefront import url_prefixes

OFFICE = url_prefixes.OFFICE
ENTER = f"{OFFICE}/entrar"
ENROL = f"{ENTER}?codigo=1"
"""Where somebody who is signed in sets up their second factor."""
ATTENTION = f"{OFFICE}/por-resolver"
ORDERS = f"{OFFICE}/pedidos"
PACK = f"{OFFICE}/empacar"
PRODUCTS = f"{OFFICE}/productos"
NEW_PRODUCT = f"{PRODUCTS}/nuevo"
STOCK = f"{OFFICE}/bodega"
IMPORT = f"{OFFICE}/importar"
INVOICES = f"{OFFICE}/facturas"
REPORTS = f"{OFFICE}/informes"
AUDIT = f"{OFFICE}/auditoria"
RETURNS = f"{OFFICE}/devoluciones"
NEW_RETURN = f"{RETURNS}/nueva"
OFFERS = f"{OFFICE}/ofertas"
SALES = f"{OFFERS}/rebajas"
CUSTOMERS = f"{OFFICE}/clientes"
PQRS = f"{OFFICE}/pqrs"
REVIEWS = f"{OFFICE}/resenas"
CONTENT = f"{OFFICE}/contenido"
AREAS = {
    "carrusel": Area.BANNER,
    "aviso": Area.ANNOUNCEMENT,
    "secciones": Area.HOME,
    "pie": Area.FOOTER,
    "correo-pedido": Area.ORDER_PLACED,
    "correo-pago": Area.ORDER_PAID,
    "correo-envio": Area.ORDER_SHIPPED,
    "correo-rechazado": Area.ORDER_LOST,
    "correo-sin-pago": Area.ORDER_UNCONFIRMED,
    "correo-devolucion": Area.REFUNDED,
    "correo-llego": Area.BACK_IN_STOCK,
    "correo-devolucion-pedida": Area.RETURN_REQUESTED,
    "correo-devolucion-recibida": Area.RETURN_RECEIVED,
    "correo-devolucion-aprobada": Area.RETURN_APPROVED,
    "correo-devolucion-negada": Area.RETURN_DENIED,
    "correo-pqrs-recibida": Area.PQRS_RECEIVED,
    "correo-pqrs-respuesta": Area.PQRS_ANSWERED,
    "correo-enlace": Area.ORDER_LINK,
}
"""The areas of content, by the last parts of their addresses."""
TEAM = f"{OFFICE}/equipo"
SETTINGS = f"{OFFICE}/ajustes"
OWN_ACCOUNT = f"{OFFICE}/cuenta"


@dataclass(frozen=True, slots=True)
class Place:
    """A place of the office.

    Attributes:
        path: its address.
        label: its name.
        icon: its icon's name in `storefront/office/icons.py`.
        right: who may go there.
        is_main: whether a telephone's bar shows it; the others are under «Más». At most four are.
        counts: the name of the number beside it in `storefront.office.state.StaffState`; empty without one.
    """

    path: str
    label: str
    icon: str
    right: Right
    is_main: bool = False
    counts: str = ""


PLACES = (
    Place(OFFICE, _("Hoy"), "sun", Right.READ_ORDERS, is_main=True),
    Place(ORDERS, _("Pedidos"), "receipt", Right.READ_ORDERS, is_main=True),
    Place(PACK, _("Empacar"), "box", Right.FULFILL, is_main=True),
    Place(ATTENTION, _("Por resolver"), "bell", Right.READ_ATTENTION, is_main=True, counts="attention"),
    Place(PRODUCTS, _("Productos"), "blocks", Right.READ_CATALOG),
    Place(STOCK, _("Bodega"), "shelves", Right.READ_STOCK),
    Place(IMPORT, _("Importar"), "upload", Right.CHANGE_CATALOG),
    Place(RETURNS, _("Devoluciones"), "undo", Right.READ_ORDERS),
    Place(CUSTOMERS, _("Clientes"), "customers", Right.READ_CUSTOMERS),
    Place(OFFERS, _("Ofertas"), "tag", Right.READ_CATALOG),
    Place(PQRS, _("PQRS"), "chat", Right.READ_ORDERS),
    Place(REVIEWS, _("Reseñas"), "star", Right.READ_ORDERS),
    Place(CONTENT, _("Contenido"), "book", Right.READ_SETTINGS),
    Place(INVOICES, _("Facturas"), "invoice", Right.READ_INVOICES),
    Place(REPORTS, _("Informes"), "chart", Right.READ_REPORTS),
    Place(AUDIT, _("Auditoría"), "history", Right.READ_AUDIT),
    Place(TEAM, _("Equipo"), "people", Right.CHANGE_STAFF),
    Place(SETTINGS, _("Ajustes"), "gear", Right.CHANGE_SHOP),
    Place(OWN_ACCOUNT, _("Mi cuenta"), "person", Right.READ_ORDERS),
)


def known(path: str) -> bool:
    """Whether there is a place at this address."""
    return any(place.path == path for place in PLACES)
