"""What is deleted by itself, and when. Whatever is not here is kept for good (docs/operations.md lists every table).

Orders with their payments, refunds and packages, and what people decided about them, never go.
"""

from datetime import timedelta

from sqlalchemy import String, and_, cast, exists, or_

from backend.alerts.models import Alert
from backend.attention import AttentionKind
from backend.attention.models import Attention
from backend.cart.models import Cart, CartNews, ShippingQuote
from backend.cart.notices import KEPT_FOR as CART_NEWS_KEPT_FOR
from backend.checkout.carts.abandoned_carts import ABANDONED, WITH_DOCUMENT
from backend.core.db.database import db_now
from backend.customers.guests import delete_guests
from backend.customers.models import (
    CustomerGroupMember,
    CustomerNote,
    CustomerSession,
    GuestCustomer,
    Login,
    ResetLink,
)
from backend.exports.models import DataExport
from backend.imports.models import ProductImport
from backend.jobs.models import Job
from backend.jobs.tidy_rule import Rule
from backend.mail.limits import DAY
from backend.mail.models import SEND, Mail, MailSlot
from backend.migrations.sandbox_tables import SandboxNotification
from backend.orders.models import Order
from backend.outbox.models import OutboxEvent
from backend.payment.models import PaymentNotification, PaymentSession
from backend.payment.providers.base import Verdict
from backend.payment.states import FINAL
from backend.presses.expiry import EXPIRED as EXPIRED_PRESSES
from backend.privacy.erasure import INVOICE_KEPT_FOR, forget_invoices
from backend.rate_limit.expiry import EXPIRED as EXPIRED_COUNTERS
from backend.staff.invites import KEPT as INVITES_KEPT_FOR
from backend.staff.models import StaffInvite, StaffSession
from backend.staff.sessions import KEPT as STAFF_SESSIONS_KEPT_FOR
from backend.stock_notices.models import StockNotice

MAILS_KEPT_FOR = timedelta(days=90)
NOTIFICATIONS_KEPT_FOR = timedelta(days=90)
ALERTS_KEPT_FOR = timedelta(days=90)
JOBS_KEPT_FOR = timedelta(days=90)
SHEETS_KEPT_FOR = timedelta(days=30)
NOTICES_UNCONFIRMED_FOR, NOTICES_KEPT_FOR = timedelta(days=7), timedelta(days=180)
KEPT_FOR = timedelta(days=30)
"""Everything else."""

_of_payment = (PaymentSession.provider_id == PaymentNotification.provider_id) & or_(
    PaymentSession.invoice == PaymentNotification.invoice,
    PaymentSession.id == PaymentNotification.session_id,
    PaymentSession.reference == PaymentNotification.reference,
)
_is_genuine = PaymentNotification.verdict == Verdict.GENUINE
_has_job = exists().where(Job.kind == SEND, Job.key == Mail.id)

RULES = (
    ABANDONED,
    WITH_DOCUMENT,
    Rule(
        "news of carts that are gone or were not looked at",
        CartNews,
        (CartNews.created_at <= db_now(-CART_NEWS_KEPT_FOR),),
    ),
    Rule(
        "quotations that are too old to be used",
        ShippingQuote,
        (ShippingQuote.quoted_at <= db_now(-KEPT_FOR),),
    ),
    Rule(
        "mails that left, or that nobody sends any more",
        Mail,
        (
            or_(
                Mail.sent_at <= db_now(-MAILS_KEPT_FOR),
                and_(Mail.sent_at.is_(None), Mail.updated_at <= db_now(-MAILS_KEPT_FOR), ~_has_job),
            ),
        ),
    ),
    Rule("mails that count for no limit any more", MailSlot, (MailSlot.taken_at <= db_now(-2 * DAY),)),
    Rule(
        "notifications of payments that are settled",
        PaymentNotification,
        (
            _is_genuine,
            PaymentNotification.handled_at <= db_now(-NOTIFICATIONS_KEPT_FOR),
            PaymentNotification.updated_at <= db_now(-NOTIFICATIONS_KEPT_FOR),
            ~exists().where(_of_payment, PaymentSession.state.not_in(FINAL)),
            ~exists().where(
                _of_payment,
                Attention.payment_session_id == PaymentSession.id,
                Attention.resolved_at.is_(None),
            ),
        ),
    ),
    Rule(
        "notifications without effect",
        PaymentNotification,
        (~_is_genuine, PaymentNotification.updated_at <= db_now(-KEPT_FOR)),
    ),
    Rule("shoppers' sessions that are over", CustomerSession, (CustomerSession.expires_at <= db_now(),)),
    Rule("links for a new password that are over", ResetLink, (ResetLink.expires_at <= db_now(),)),
    Rule(
        "logins that never became a customer",
        Login,
        (Login.customer_id.is_(None), Login.created_at <= db_now(-KEPT_FOR)),
    ),
    Rule(
        "guests of whom there is no cart and no order any more, and of whom staff know nothing",
        GuestCustomer,
        (
            GuestCustomer.created_at <= db_now(-KEPT_FOR),
            GuestCustomer.first_name == "",
            GuestCustomer.last_name == "",
            GuestCustomer.phone == "",
            GuestCustomer.company_name == "",
            cast(GuestCustomer.meta, String) == "{}",
            ~exists().where(Cart.guest_id == GuestCustomer.id),
            ~exists().where(Order.guest_id == GuestCustomer.id),
            ~exists().where(CustomerNote.customer_id == GuestCustomer.id),
            ~exists().where(CustomerGroupMember.customer_id == GuestCustomer.id),
        ),
        delete_guests,
    ),
    Rule(
        "staff's sessions that are over",
        StaffSession,
        (StaffSession.expires_at < db_now(-STAFF_SESSIONS_KEPT_FOR),),
    ),
    Rule(
        "invitations that nobody accepted",
        StaffInvite,
        (StaffInvite.expires_at <= db_now(-INVITES_KEPT_FOR),),
    ),
    Rule(
        "addresses that wait for a toy, once they were told, never confirmed, or waited for too long",
        StockNotice,
        (
            or_(
                StockNotice.told_at <= db_now(-KEPT_FOR),
                and_(
                    StockNotice.confirmed_at.is_(None),
                    StockNotice.created_at <= db_now(-NOTICES_UNCONFIRMED_FOR),
                ),
                StockNotice.created_at <= db_now(-NOTICES_KEPT_FOR),
            ),
        ),
    ),
    Rule(
        "files that staff asked for, once they have expired", DataExport, (DataExport.expires_at <= db_now(),)
    ),
    Rule(
        "sheets of products that staff sent, and what came of their rows",
        ProductImport,
        (ProductImport.created_at <= db_now(-SHEETS_KEPT_FOR),),
    ),
    Rule(
        "invoice data of orders whose buyer's data were deleted, when the law keeps them no longer",
        Order,
        (
            Order.erased_at.is_not(None),
            Order.created_at <= db_now(-INVOICE_KEPT_FOR),
            Order.email != "",
        ),
        forget_invoices,
    ),
    EXPIRED_COUNTERS,
    EXPIRED_PRESSES,
    Rule("alerts that are over", Alert, (Alert.ended_at <= db_now(-ALERTS_KEPT_FOR),)),
    Rule(
        "jobs that were given up and settled",
        Job,
        (
            Job.failed_at <= db_now(-JOBS_KEPT_FOR),
            ~exists().where(
                Attention.kind == AttentionKind.JOB_FAILED,
                Attention.subject_id == cast(Job.id, String),
                Attention.resolved_at.is_(None),
            ),
        ),
    ),
    Rule(
        "changes that the storefront was never told of",
        OutboxEvent,
        (OutboxEvent.recorded_at <= db_now(-KEPT_FOR),),
    ),
    Rule(
        "notifications of the embedded gateway that were delivered or given up",
        SandboxNotification,
        (
            SandboxNotification.created_at <= db_now(-KEPT_FOR),
            or_(SandboxNotification.delivered_at.is_not(None), SandboxNotification.due_at.is_(None)),
        ),
    ),
)
"""All of them count by the database's clock."""
