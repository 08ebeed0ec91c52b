"""Route of the review form: the browser submits the form with pictures and is redirected to the form's page."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from backend.core.error_texts import CHECK_FIELDS, TOO_MANY
from backend.core.errors import Conflict, InvalidData, NotAllowed, TooManyRequests
from backend.core.texts import _
from backend.edge.auth.csrf import check_own_page
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.edge.form_submissions import redirect_to, refuse
from backend.edge.requests import WireRoute
from backend.media.picture_forms import read_picture_form
from backend.media.picture_store import PicturesUnavailable
from backend.media.upload_routes import get_uploads
from backend.media.uploads import MAX_FILE_BYTES, PictureRefused, PictureUploads
from backend.rate_limit.limiter import Client, RateLimit, hit
from backend.reviews.submission import MAX_PICTURES, read_review, require_reviewable, write_review
from backend.reviews.tokens import REVIEW_LINK, review_path

WRITE = "/api/reviews"
MAX_FIELDS, MAX_FIELD_BYTES = 20, 32 << 10
MAX_REVIEW_REQUEST_BYTES = MAX_PICTURES * MAX_FILE_BYTES + (1 << 20)
LIMIT = RateLimit("reviews", per_pair=6, per_client=40, per_subject=0, per_day=20)
"""Limits for sending reviews. Their subject is an order line."""
MESSAGES = {
    "saved": _("¡Gracias! Guardamos tu reseña. Sale en la página del producto cuando la hayamos leído."),
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
"""Messages by the parameter `said` of the page."""
RETRY_RESULTS = frozenset({"check", "wait"})
"""Values of `said` after which the form keeps the typed values."""

router = APIRouter(
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own page
    dependencies=[Depends(check_own_page)],
)


@router.post(WRITE)
async def send_review(
    request: Request,
    database: Db,
    settings: ShopSettings,
    ip: ClientIp,
    uploads: Annotated[PictureUploads, Depends(get_uploads)],
) -> Response:
    """Store a review of the order line in the signed link, and redirect to the review page.

    The text is saved even if a picture cannot be used. The query parameter `said` of the redirect selects the
    message that the page displays.
    """
    line_id, token = (request.query_params.get(name, "")[:200] for name in ("id", "token"))
    REVIEW_LINK.require(settings.signing_key, line_id, token)
    said = "saved"
    try:
        client = Client.from_ip(ip, settings)
        await hit(database, LIMIT, line_id, client)
        await require_reviewable(database, line_id)
        async with read_picture_form(
            request, uploads, client, max_fields=MAX_FIELDS, max_field_bytes=MAX_FIELD_BYTES
        ) as form:
            review = read_review(form.text_fields)
            await write_review(database, line_id, review)
            try:
                pictures = [
                    stored.url for stored in await uploads.store_unchecked(form.get_pictures(MAX_PICTURES))
                ]
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
    return refuse(request, MESSAGES[said], page) if said in RETRY_RESULTS else redirect_to(request, page)
