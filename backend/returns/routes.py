"""What a buyer asks for on the order's page, and files of returns for the shop's people.

The forms are the browser's own and carry files: each leads back to the page that it stands on.
"""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from backend.core.db.database import Database
from backend.core.error_texts import TOO_MANY
from backend.core.errors import Conflict, InvalidData, NotAllowed, TooManyRequests
from backend.core.texts import _
from backend.edge.auth.csrf import own_page
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.edge.form_submissions import digest_of, lead_to, refuse, sending_of
from backend.edge.requests import WireRoute
from backend.media.picture_forms import picture_form
from backend.media.picture_store import PicturesUnavailable
from backend.media.upload_routes import uploads_of
from backend.media.uploads import MOST_FILE_BYTES, PictureRefused, PictureUploads, SentFile
from backend.orders.links.tokens import ORDER_LINK
from backend.presses.service import PressUsed, handle_press
from backend.rate_limit.limiter import Client, RateLimit, hit
from backend.returns.processing import add_receipt, read_file
from backend.returns.requests import SentPicture, ask, read_return_options, require_unsent
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import OFFICE, Right

RECEIPTS = "/admin/return-receipts"
MOST_RECEIPT_BYTES = MOST_FILE_BYTES + (64 << 10)
"""Of a request with a receipt: the file, and what is written around it."""
PDF, WEBP = "application/pdf", "image/webp"
MOST_PDF_BYTES = 2 << 20
OFFICE_PAGE = f"{OFFICE}/devoluciones"

ASK = "/api/returns"
MOST_PICTURES, MOST_FIELDS = 3, 500
"""Of the buyer's form; one field for each line of a large order."""
MOST_FIELD_BYTES = 16 << 10
MOST_ASKED_BYTES = MOST_PICTURES * MOST_FILE_BYTES + (1 << 20)
LIMIT = RateLimit("returns", per_pair=6, per_client=60, per_subject=0, per_day=20)
RESEND_LIMIT = RateLimit("returns sent again", per_pair=30, per_client=120, per_subject=0, per_day=100)
"""Limits how many forms are read only because they may be sent again. `LIMIT` counts new requests."""
SAID = {
    "asked": _("Recibido. Te escribimos al correo del pedido."),
    "check": _("No se envió: revisa las unidades, la razón y la cuenta."),
    "picture": _(
        "No se envió: usa hasta {most} fotos JPEG, PNG, WebP o AVIF, de máximo 15 MB cada una."
    ).format(most=MOST_PICTURES),
    "late": _("Ya no se puede pedir, o ya estaba pedido: aquí ves cómo va."),
    "wait": TOO_MANY,
}
"""The result of a form, by the parameter `said`: a page says nothing that its address makes up."""
SHOWN_ON_PAGE = frozenset({"asked", "late"})
"""The results that the order's page shows better than the form."""

buyers = APIRouter(
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own page
    dependencies=[Depends(own_page)],
)
router = APIRouter(
    route_class=WireRoute,
    include_in_schema=False,  # for the office's own pages
    dependencies=staff_who_may(Right.READ_ORDERS),
)


@buyers.post(ASK)
async def send_request(
    request: Request,
    database: Db,
    settings: ShopSettings,
    ip: ClientIp,
    uploads: Annotated[PictureUploads, Depends(uploads_of)],
) -> Response:
    """Take what the buyer asks for; the address names the order by its token. The page says what came of it: `said`."""
    order_id, token = (request.query_params.get(name, "")[:200] for name in ("id", "token"))
    ORDER_LINK.require(settings.signing_key, order_id, token)
    said = "asked"
    try:
        await _store_request(request, database, uploads, order_id, Client.at(ip, settings))
    except PressUsed:
        pass  # its answer was lost
    except PictureRefused:
        said = "picture"
    except InvalidData:
        said = "check"
    except NotAllowed:
        said = "late"
    except (TooManyRequests, PicturesUnavailable):
        said = "wait"
    page = f"/order/{order_id}?token={token}&said={said}#devoluciones"
    return lead_to(request, page) if said in SHOWN_ON_PAGE else refuse(request, SAID[said], page)


async def _store_request(
    request: Request, database: Database, uploads: PictureUploads, order_id: str, client: Client
) -> None:
    """Read the form, and store its request once.

    All forms of the page share the id in its address, also after the browser's button «Back». So a form is sent again
    only if its order and its content are the same. A form that may be sent again is read even if no return can be asked
    for any more: its return may have taken all units.

    Raises:
        PressUsed: an earlier sending of the same form has stored it.
        TooManyRequests: see `hit` and `picture_form`.
        PictureRefused, PicturesUnavailable: see `PictureForm.pictures` and `PictureUploads.as_webp`.
        NotFound, InvalidData, NotAllowed: see `ask`.
    """
    options = await read_return_options(database, order_id)

    async def admit() -> None:
        await hit(database, LIMIT, order_id, client)
        if not options.has_offers:
            raise NotAllowed("No return of this order can be asked for now")

    may_be_resent = options.has_returns and sending_of(request, ASK) is not None
    if may_be_resent:
        await hit(database, RESEND_LIMIT, order_id, client)
    else:
        await admit()
    async with picture_form(
        request, uploads, client, most_fields=MOST_FIELDS, most_field_bytes=MOST_FIELD_BYTES
    ) as form:
        digest = digest_of([form.typed, [(file.name, file.size) for file in form.files]])
        with handle_press(sending_of(request, f"{ASK} {order_id} {digest}")):
            if may_be_resent:
                await require_unsent(database)
                await admit()
            files = await uploads.as_webp(form.pictures(MOST_PICTURES))
            await ask(database, order_id, form.typed, [SentPicture(WEBP, content) for content in files])


@router.get("/admin/return-files/{file_id}")
async def get_file(actor: StaffMember, file_id: str, database: Db) -> Response:
    """A file of a return. A PDF is never shown as a page of the shop's."""
    async with database.read() as session:
        file = await read_file(session, actor, file_id)
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    if file.media_type == PDF:
        headers["Content-Disposition"] = f'attachment; filename="{file.id}.pdf"'
    return Response(file.content, media_type=file.media_type, headers=headers)


@router.post(RECEIPTS)
async def send_receipt(
    actor: StaffMember,
    request: Request,
    database: Db,
    uploads: Annotated[PictureUploads, Depends(uploads_of)],
) -> Response:
    """Keep the receipt that the form of a return's screen sends: a picture, or a PDF. It leads back to the screen."""
    actor.require(Right.BOOK_REFUNDS)
    return_id = request.query_params.get("id", "")[:60]
    page = f"{OFFICE_PAGE}/{return_id}"
    with uploads.room():
        async with request.form(max_files=1, max_fields=2) as form:
            sent = form.get("receipt")
            if not isinstance(sent, UploadFile):
                return RedirectResponse(f"{page}?comprobante=no", 303)
            try:
                media_type, content = await _receipt(uploads, sent)
                async with database.transaction() as session:
                    await add_receipt(session, actor, return_id, media_type, content)
            except (InvalidData, Conflict, PicturesUnavailable):
                return RedirectResponse(f"{page}?comprobante=no", 303)
    return RedirectResponse(page, 303)


async def _receipt(uploads: PictureUploads, sent: UploadFile) -> tuple[str, bytes]:
    """The receipt as it is kept.

    Raises:
        InvalidData: it is neither a picture nor a PDF, or too large.
    """
    if (await sent.read(5)) == b"%PDF-":
        if (sent.size or 0) > MOST_PDF_BYTES:
            raise InvalidData("A receipt is smaller")
        await sent.seek(0)
        return PDF, await sent.read()
    (picture,) = await uploads.as_webp([SentFile(sent.filename or "", sent.size or 0, sent.file)])
    return WEBP, picture
