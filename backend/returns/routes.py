"""Form of the order's page to request a return, and files of returns for staff.

The forms are plain browser forms with files. Each redirects to the page that contains it.
"""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from backend.core.db.database import Database
from backend.core.error_texts import TOO_MANY
from backend.core.errors import Conflict, InvalidData, NotAllowed, TooManyRequests
from backend.core.texts import _
from backend.edge.auth.csrf import check_own_page
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.edge.form_submissions import hash_content, read_sending, redirect_to, refuse
from backend.edge.requests import WireRoute
from backend.media.picture_forms import PICTURES, read_picture_form
from backend.media.picture_store import PicturesUnavailable
from backend.media.upload_routes import get_uploads
from backend.media.uploads import MAX_FILE_BYTES, PictureRefused, PictureUploads, SentFile
from backend.orders.links.tokens import ORDER_LINK
from backend.presses.service import PressUsed, handle_press
from backend.rate_limit.limiter import Client, RateLimit, hit
from backend.returns.processing import add_receipt, read_file
from backend.returns.requests import (
    ReturnPicture,
    read_return_options,
    require_unused_form,
    store_customer_request,
)
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import OFFICE, Right

RECEIPTS = "/admin/return-receipts"
MAX_RECEIPT_REQUEST_BYTES = MAX_FILE_BYTES + (64 << 10)
"""Maximum size of a request with a receipt: the file, and the form data around it."""
PDF, WEBP = "application/pdf", "image/webp"
MAX_PDF_BYTES = 2 << 20
OFFICE_PAGE = f"{OFFICE}/devoluciones"

REQUEST_PATH = "/api/returns"
MAX_PICTURES, MAX_FIELDS = 3, 500
"""Limits of the customer's form; there is one field for each line of a large order."""
MAX_FIELD_BYTES = 16 << 10
MAX_REQUEST_BYTES = MAX_PICTURES * MAX_FILE_BYTES + (1 << 20)
LIMIT = RateLimit("returns", per_pair=6, per_client=60, per_subject=0, per_day=20)
RESEND_LIMIT = RateLimit("returns sent again", per_pair=30, per_client=120, per_subject=0, per_day=100)
"""Limit of forms that may repeat an earlier request; `LIMIT` counts new requests."""
RESULT_TEXTS = {
    "asked": _("Recibido. Te escribimos al correo del pedido."),
    "check": _("No se envió: revisa las unidades, la razón y la cuenta."),
    "picture": _(
        "No se envió: usa hasta {most} fotos JPEG, PNG, WebP o AVIF, de máximo 15 MB cada una."
    ).format(most=MAX_PICTURES),
    "late": _("Ya no se puede pedir, o ya estaba pedido: aquí ves cómo va."),
    "wait": TOO_MANY,
}
"""Result texts by the page's parameter `said`: the page displays only these texts, not the parameter itself."""
SHOWN_ON_PAGE = frozenset({"asked", "late"})
"""Results after which the browser is redirected to the order's page; for the others, the form is shown again."""

customer_router = APIRouter(
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own page
    dependencies=[Depends(check_own_page)],
)
router = APIRouter(
    route_class=WireRoute,
    include_in_schema=False,  # for the office's own pages
    dependencies=require_staff_right(Right.READ_ORDERS),
)


@customer_router.post(REQUEST_PATH)
async def send_request(
    request: Request,
    database: Db,
    settings: ShopSettings,
    ip: ClientIp,
    uploads: Annotated[PictureUploads, Depends(get_uploads)],
) -> Response:
    """Store the customer's request. The token in the address identifies the order.

    The address of the redirect has the result in its parameter `said`.
    """
    order_id, token = (request.query_params.get(name, "")[:200] for name in ("id", "token"))
    ORDER_LINK.require(settings.signing_key, order_id, token)
    result, problems = "asked", dict[str, str]()
    try:
        await _store_request(request, database, uploads, order_id, Client.from_ip(ip, settings))
    except PressUsed:
        pass  # a repetition: the first response was lost
    except PictureRefused:
        result = "picture"
        problems = {PICTURES: RESULT_TEXTS[result]}
    except InvalidData as error:
        result, problems = "check", dict(error.fields)
    except NotAllowed:
        result = "late"
    except (TooManyRequests, PicturesUnavailable):
        result = "wait"
    page = f"/order/{order_id}?token={token}&said={result}#devoluciones"
    if result in SHOWN_ON_PAGE:
        return redirect_to(request, page)
    return refuse(request, RESULT_TEXTS[result], page, problems)


async def _store_request(
    request: Request, database: Database, uploads: PictureUploads, order_id: str, client: Client
) -> None:
    """Parse the return form, and store the return request once.

    All forms sent from one page have the same id, even after the browser's button «Back». So a form is a
    repetition only if its id, order and content all equal those of an earlier form. This is checked before the form
    is refused because no units can be returned any more: an earlier sending of it may have returned them.

    Raises:
        PressUsed: the same form has already been stored.
        TooManyRequests: see `hit` and `read_picture_form`.
        PictureRefused, PicturesUnavailable: see `PictureForm.get_pictures` and `PictureUploads.convert_to_webp`.
        NotFound, InvalidData, NotAllowed: see `store_customer_request`.
    """
    options = await read_return_options(database, order_id)

    async def admit() -> None:
        await hit(database, LIMIT, order_id, client)
        if not options.has_offers:
            raise NotAllowed("No return of this order can be requested now")

    may_be_resent = options.has_returns and read_sending(request, REQUEST_PATH) is not None
    if may_be_resent:
        await hit(database, RESEND_LIMIT, order_id, client)
    else:
        await admit()
    async with read_picture_form(
        request, uploads, client, max_fields=MAX_FIELDS, max_field_bytes=MAX_FIELD_BYTES
    ) as form:
        digest = hash_content([form.text_fields, [(file.name, file.size) for file in form.files]])
        with handle_press(read_sending(request, f"{REQUEST_PATH} {order_id} {digest}")):
            if may_be_resent:
                await require_unused_form(database)
                await admit()
            files = await uploads.convert_to_webp(form.get_pictures(MAX_PICTURES))
            await store_customer_request(
                database, order_id, form.text_fields, [ReturnPicture(WEBP, content) for content in files]
            )


@router.get("/admin/return-files/{file_id}")
async def get_file(actor: StaffMember, file_id: str, database: Db) -> Response:
    """Return a file of a return.

    A PDF is always sent as a download, so that it is never displayed as a page of the shop.
    """
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
    uploads: Annotated[PictureUploads, Depends(get_uploads)],
) -> Response:
    """Store the receipt from the form of the return's back-office page: a picture or a PDF. Redirect to this page."""
    actor.require(Right.BOOK_REFUNDS)
    return_id = request.query_params.get("id", "")[:60]
    page = f"{OFFICE_PAGE}/{return_id}"
    with uploads.reserve_staff_slot():
        async with request.form(max_files=1, max_fields=2) as form:
            sent = form.get("receipt")
            if not isinstance(sent, UploadFile):
                return RedirectResponse(f"{page}?comprobante=no", 303)
            try:
                media_type, content = await _parse_receipt(uploads, sent)
                async with database.transaction() as session:
                    await add_receipt(session, actor, return_id, media_type, content)
            except (InvalidData, Conflict, PicturesUnavailable):
                return RedirectResponse(f"{page}?comprobante=no", 303)
    return RedirectResponse(page, 303)


async def _parse_receipt(uploads: PictureUploads, sent: UploadFile) -> tuple[str, bytes]:
    """Return the media type and the content of the receipt to store.

    Raises:
        InvalidData: the file is neither a picture nor a PDF, or is too large.
    """
    if (await sent.read(5)) == b"%PDF-":
        if (sent.size or 0) > MAX_PDF_BYTES:
            raise InvalidData("The receipt is too large")
        await sent.seek(0)
        return PDF, await sent.read()
    (picture,) = await uploads.convert_to_webp([SentFile(sent.filename or "", sent.size or 0, sent.file)])
    return WEBP, picture
