"""The places of the office: the screens in its navigation and its search. To add a screen, add an entry here."""

from dataclasses import dataclass

from backend.content.areas import Area
from backend.core.texts import _
from backend.staff.rights import Right
from storefront import url_prefixes

OFFICE = url_prefixes.OFFICE
SIGN_IN = f"{OFFICE}/entrar"
ENROL = f"{SIGN_IN}?codigo=1"
"""The page where a signed-in staff member sets up their second factor."""
ATTENTION = f"{OFFICE}/por-resolver"
ORDERS = f"{OFFICE}/pedidos"
EDIT_ORDER = f"{ORDERS}/cambiar"
EXCHANGE = f"{ORDERS}/cambio"
PACK = f"{OFFICE}/empacar"
SELL = f"{OFFICE}/vender"
CLOSING = f"{SELL}/cierre"
PRODUCTS = f"{OFFICE}/productos"
NEW_PRODUCT = f"{PRODUCTS}/nuevo"
STOCK = f"{OFFICE}/bodega"
IMPORT = f"{OFFICE}/importar"
CATEGORIES = f"{OFFICE}/categorias"
COLLECTIONS = f"{OFFICE}/colecciones"
REDIRECTS = f"{OFFICE}/direcciones"
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
DELIVERIES = f"{OFFICE}/entregas"
BRAND = f"{OFFICE}/marca"
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
    "correo-carrito": Area.CART_REMINDER,
    "correo-enlace-de-pago": Area.PAYMENT_LINK,
    "correo-devolucion-pedida": Area.RETURN_REQUESTED,
    "correo-devolucion-recibida": Area.RETURN_RECEIVED,
    "correo-devolucion-aprobada": Area.RETURN_APPROVED,
    "correo-devolucion-negada": Area.RETURN_DENIED,
    "correo-pqrs-recibida": Area.PQRS_RECEIVED,
    "correo-pqrs-respuesta": Area.PQRS_ANSWERED,
    "correo-enlace": Area.ORDER_LINK,
}
"""The content areas by the final part of their screens' paths."""
TEAM = f"{OFFICE}/equipo"
SETTINGS = f"{OFFICE}/ajustes"
OWN_ACCOUNT = f"{OFFICE}/cuenta"


@dataclass(frozen=True, slots=True)
class OfficePlace:
    """A screen that the office's navigation and search lead to.

    Attributes:
        path: its address.
        label: its name.
        icon: its icon's name in `storefront/office/icons.py`.
        right: the right that is required to open it.
        is_main: True if a phone's navigation bar shows it; at most four places. The others are under «Más».
        count_key: the key in `StaffState.counts` of the number of waiting items; empty if it has no number.
        has_deadline: True if the law sets a deadline for the waiting items. `StaffState.deadlines` has the deadline.
    """

    path: str
    label: str
    icon: str
    right: Right
    is_main: bool = False
    count_key: str = ""
    has_deadline: bool = False


PLACES = (
    OfficePlace(OFFICE, _("Hoy"), "sun", Right.READ_ORDERS, is_main=True),
    OfficePlace(ORDERS, _("Pedidos"), "receipt", Right.READ_ORDERS, is_main=True),
    OfficePlace(PACK, _("Empacar"), "box", Right.FULFILL, is_main=True, count_key="pack"),
    OfficePlace(
        ATTENTION, _("Por resolver"), "bell", Right.READ_ATTENTION, is_main=True, count_key="attention"
    ),
    OfficePlace(SELL, _("Vender"), "till", Right.SELL),
    OfficePlace(PRODUCTS, _("Productos"), "blocks", Right.READ_CATALOG),
    OfficePlace(CATEGORIES, _("Categorías"), "tree", Right.READ_CATALOG),
    OfficePlace(COLLECTIONS, _("Colecciones"), "layers", Right.READ_CATALOG),
    OfficePlace(STOCK, _("Bodega"), "shelves", Right.READ_STOCK),
    OfficePlace(IMPORT, _("Importar"), "upload", Right.CHANGE_CATALOG),
    OfficePlace(REDIRECTS, _("Direcciones anteriores"), "signpost", Right.READ_CATALOG),
    OfficePlace(
        RETURNS, _("Devoluciones"), "undo", Right.READ_ORDERS, count_key="returns", has_deadline=True
    ),
    OfficePlace(CUSTOMERS, _("Clientes"), "customers", Right.READ_CUSTOMERS),
    OfficePlace(OFFERS, _("Ofertas"), "tag", Right.READ_CATALOG),
    OfficePlace(PQRS, _("PQRS"), "chat", Right.READ_ORDERS, count_key="pqrs", has_deadline=True),
    OfficePlace(REVIEWS, _("Reseñas"), "star", Right.READ_ORDERS, count_key="reviews"),
    OfficePlace(DELIVERIES, _("Entregas"), "truck", Right.READ_SETTINGS),
    OfficePlace(BRAND, _("Marca"), "brush", Right.READ_SETTINGS),
    OfficePlace(CONTENT, _("Contenido"), "book", Right.READ_SETTINGS),
    OfficePlace(INVOICES, _("Facturas"), "invoice", Right.READ_INVOICES),
    OfficePlace(REPORTS, _("Informes"), "chart", Right.READ_REPORTS),
    OfficePlace(AUDIT, _("Auditoría"), "history", Right.READ_AUDIT),
    OfficePlace(TEAM, _("Equipo"), "people", Right.CHANGE_STAFF),
    OfficePlace(SETTINGS, _("Ajustes"), "gear", Right.CHANGE_SHOP),
    OfficePlace(OWN_ACCOUNT, _("Mi cuenta"), "person", Right.READ_ORDERS),
)


def is_place(path: str) -> bool:
    """Return True if the office has a place at this address."""
    return any(place.path == path for place in PLACES)
