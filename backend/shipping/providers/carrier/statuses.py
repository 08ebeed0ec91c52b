"""Conversion of the carrier's status texts to tracking stages (wire: carrier 2.4).

The carrier forwards the words of a dozen couriers, so no list of status texts is complete. A text that matches no
known pattern is an incident, which staff then read.
"""

import re
import unicodedata

from backend.core.web.contact import to_one_line
from backend.shipping.providers.base import TrackingStage

MAX_STATUS_LENGTH = 200
"""Maximum number of characters of a status that are compared."""

_DOCUMENTED = frozenset(
    {
        "pendiente de recoleccion",
        "envio recolectado",
        "en transito",
        "en distribucion",
        "en reparto",
        "entregado",
        "cancelado",
        "devuelto",
    }
)
"""The aggregator's own statuses, for which the shop has its own words."""

_SENDER = r"(a|al|en|hacia)( el| la)? (remitente|origen)\b"
_SHOP = r"(a|al|en|hacia)( el| la)? (remitente|origen|tienda|comercio)\b"
_RETURN = re.compile(
    rf"(?<!\bno )(?<!\bno fue )\b(devuelt[oa]s?\b|entreg(ad)?[oa]s? {_SENDER}"
    rf"|(retorn(ad)?[oa]|regres(ad)?[oa]) {_SHOP})"
    r"|\b(en|para|proceso de|inicio de) (devolucion|retorno)\b"
    r"|^(retorn(ad)?[oa]|devolucion)\b(?! (solicitad|pendiente|rechazad|cancelad|anulad|negad))"
    r"(?! (de )?(documento|cumplid|dinero))"
)
"""Texts of a parcel that is on its way back to the shop, or has arrived there.

A requested return, or a return of documents, does not count.
"""

_HARMLESS = re.compile(
    r"\bsin (ninguna? )?(novedad(es)?|inconvenientes?|problemas?)\b"
    r"|(?<=entregad[oa] )(en|al) (el )?(\w+ )?intento\b"
    r"|\b(documentos?|cumplidos?|firmas?|dinero)( \w+)? devuelt[oa]s?\b"
    r"|\bdevuelt[oa]s? (el |los |de )?(documento|cumplido|dinero)s?\b"
)
"""Words that look like a problem or a return but are not: «sin novedad», returned documents."""

_TROUBLE = re.compile(
    r"\bno |\bsin |\bnadie\b|novedad|errad|incorrect|incomplet|rechaz|rehus|ausente|desconoc|cerrad|reten"
    r"|siniestr|perdid|extravi|hurt|robad|averi|danad|fallid|intento|custodia|aplazad|reprogram"
)
"""Words of a problem in a text that begins like a usual stage («En bodega por dirección errada»)."""

_USUAL = (
    (TrackingStage.CANCELED, r"((guia|envio) )?(cancelad|anulad)"),
    (
        TrackingStage.IN_TRANSIT,
        r"(envio )?entregad[oa] al? (\w+ )?(transport|mensajer|conductor|courier|operador)",
    ),
    (TrackingStage.INCIDENT, r"(envio )?(entregad[oa]|entrega) parcial"),
    (
        TrackingStage.DELIVERED,
        r"((envio|reportad[oa]) )?entregad[oa]|entrega (exitosa|verificada|efectiva|realizada)",
    ),
    (
        TrackingStage.AWAITING_PICKUP,
        r"pendiente (de|por) recol|por recolectar|recoleccion (programada|solicitada)",
    ),
    (TrackingStage.AWAITING_PICKUP, r"((guia|envio) )?(generad|cread|impres|registrad)|(en )?alistamiento"),
    (TrackingStage.COLLECTED, r"((envio|guia|paquete) )?(recolectad|recogid|admitid)"),
    (
        TrackingStage.COLLECTED,
        r"recoleccion (exitosa|realizada|efectuada)|recibid[oa] (en origen|por la transport)",
    ),
    (TrackingStage.OUT_FOR_DELIVERY, r"(en |zona de |en zona de |salio a )?(distribucion|reparto)"),
    (
        TrackingStage.OUT_FOR_DELIVERY,
        r"en (ruta|proceso|camino) (de|a|para) (la )?(entrega|reparto|distribucion)",
    ),
    (
        TrackingStage.IN_TRANSIT,
        r"en (transito|transporte|ruta|viaje|camino|despacho|procesamiento)\b|viajando",
    ),
    (
        TrackingStage.IN_TRANSIT,
        r"(en |ingreso a |ingresad[oa] a |recibid[oa] en )?(la )?(bodega|terminal|centro de)\b",
    ),
    (TrackingStage.IN_TRANSIT, r"despachad|en (origen|destino)$|recibid[oa] en destino|llegada a|arribo a"),
)
"""Prefixes of the texts of each stage, without accents and capitals."""
_STAGES = tuple((stage, re.compile(start)) for stage, start in _USUAL)


def parse_stage(status: str, detail: str = "") -> TrackingStage:
    """Return the stage for a status and its detail. An unknown status is an incident.

    If the status or the detail mentions a return, the stage is a return: «Entregado» with the detail «Devolución
    entregada» was delivered to the shop, not to the customer. A status that mentions a problem is an incident. If the
    label was cancelled, neither rule applies.
    """
    plain, more = (_HARMLESS.sub("", _normalize(text)) for text in (status, detail))
    stage = next((stage for stage, start in _STAGES if start.match(plain)), TrackingStage.INCIDENT)
    if stage is TrackingStage.CANCELED:
        return stage
    if _RETURN.search(plain) or _RETURN.search(more):
        return TrackingStage.RETURNED
    return TrackingStage.INCIDENT if _TROUBLE.search(plain) else stage


def join_words(status: str, detail: str) -> str:
    """Return the carrier's words on one line: the status, a colon and the detail.

    The status is left out if it only repeats the stage or the beginning of the detail.
    """
    status, detail = to_one_line(status), to_one_line(detail)
    if not detail:
        return status
    is_said = _normalize(status) in _DOCUMENTED or _normalize(detail).startswith(_normalize(status))
    return detail if is_said else f"{status}: {detail}"


def _normalize(text: str) -> str:
    """Return the text on one line, without accents and capitals."""
    letters = unicodedata.normalize("NFKD", to_one_line(text[: 2 * MAX_STATUS_LENGTH]).casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))[:MAX_STATUS_LENGTH]
