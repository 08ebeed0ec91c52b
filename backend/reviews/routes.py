"""What the page of a review's link submits: the browser's own form, with pictures, which leads back to the page."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from backend.core.error_texts import CHECK_FIELDS, TOO_MANY
from backend.core.errors import Conflict, InvalidData, NotAllowed, TooManyRequests
from backend.core.texts import _
from backend.edge.auth.csrf import own_page
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.edge.form_submissions import lead_to, refuse
from backend.edge.requests import WireRoute
from backend.media.picture_forms import picture_form
from backend.media.picture_store import PicturesUnavailable
from backend.media.upload_routes import uploads_of
from backend.media.uploads import MOST_FILE_BYTES, PictureRefused, PictureUploads
from backend.rate_limit.limiter import Client, RateLimit, hit
from backend.reviews.submission import MOST_PICTURES, read_review, require_open, write_review
from backend.reviews.tokens import REVIEW_LINK, review_path

WRITE = "/api/reviews"
MOST_FIELDS, MOST_FIELD_BYTES = 20, 32 << 10
MOST_SENT_BYTES = MOST_PICTURES * MOST_FILE_BYTES + (1 << 20)
LIMIT = RateLimit("reviews", per_pair=6, per_client=40, per_subject=0, per_day=20)
"""A subject is an order's line."""
SAID = {
    "saved": _("¡Gracias! Guardamos tu reseña. Sale en la página del juguete cuando la hayamos leído."),
    "picture": _(
        "Guardamos tu reseña, pero no las fotos: envía hasta 3, en JPEG, PNG, WebP o AVIF, de máximo 15 MB cada una."
    ),
    "pictures-later": _(
        "Guardamos tu reseña, pero no pudimos con las fotos. Envíalas otra vez en unos minutos."
    ),
    "check": CHECK_FIELDS,
    "closed": _("Ya no se puede escribir ni cambiar esta reseña."),
    "wait": TOO_MANY,
}
"""The result of the form, by the parameter `said`."""
STAYS = frozenset({"check", "wait"})
"""The results after which what is typed stays in the form."""

router = APIRouter(
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own page
    dependencies=[Depends(own_page)],
)


@router.post(WRITE)
async def send_review(
    request: Request,
    database: Db,
    settings: ShopSettings,
    ip: ClientIp,
    uploads: Annotated[PictureUploads, Depends(uploads_of)],
) -> Response:
    """Take a review; the address names the order's line by its token. The page says what came of it: `said`.

    What was written is kept also where a picture cannot be used.
    """
    line_id, token = (request.query_params.get(name, "")[:200] for name in ("id", "token"))
    REVIEW_LINK.require(settings.signing_key, line_id, token)
    said = "saved"
    try:
        client = Client.at(ip, settings)
        await hit(database, LIMIT, line_id, client)
        await require_open(database, line_id)
        async with picture_form(
            request, uploads, client, most_fields=MOST_FIELDS, most_field_bytes=MOST_FIELD_BYTES
        ) as form:
            review = read_review(form.typed)
            await write_review(database, line_id, review)
            try:
                pictures = [stored.url for stored in await uploads.keep(form.pictures(MOST_PICTURES))]
            except PictureRefused:
                pictures, said = [], "picture"
            except PicturesUnavailable:
                pictures, said = [], "pictures-later"
        if pictures:
            await write_review(database, line_id, review, pictures)
    except InvalidData:
        said = "check"
    except (NotAllowed, Conflict):
        said = "closed"
    except TooManyRequests:
        said = "wait"
    page = f"{review_path(settings.signing_key, line_id)}&said={said}"
    return refuse(request, SAID[said], page) if said in STAYS else lead_to(request, page)
