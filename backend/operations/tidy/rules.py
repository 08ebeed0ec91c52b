"""Rules for automatic deletion. Data without a rule is never deleted (docs/operations.md lists every table).

Orders with their payments, refunds and packages, and the decisions of staff about them, are never deleted. Only
the recipients and the messages of gifts are removed from them.
"""

from datetime import timedelta

from sqlalchemy import String, and_, cast, exists, or_

from backend.alerts.models import Alert
from backend.attention import AttentionKind
from backend.attention.models import Attention
from backend.cart.models import Cart, CartNews, ShippingQuote
from backend.cart.notices import NEWS_RETENTION as CART_NEWS_KEPT_FOR
from backend.catalog.redirects.models import UnknownAddress
from backend.checkout.carts.abandoned_carts import ABANDONED, OLD_DOCUMENTS
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
from backend.exchanges.models import Exchange
from backend.exports.models import DataExport
from backend.imports.models import ProductImport
from backend.jobs.models import Job
from backend.jobs.tidy_rule import TidyRule
from backend.mail.limits import DAY
from backend.mail.models import SEND, Mail, MailSlot
from backend.migrations.sandbox_tables import SandboxNotification
from backend.orders.models import Order
from backend.outbox.models import OutboxEvent
from backend.payment.models import PaymentNotification, PaymentSession
from backend.payment.providers.base import Verdict
from backend.payment.states import FINAL_STATES
from backend.presses.expiry import EXPIRED as EXPIRED_PRESSES
from backend.privacy.erasure import INVOICE_RETENTION, erase_invoices
from backend.privacy.recipients import OLD_RECIPIENTS
from backend.rate_limit.expiry import EXPIRED as EXPIRED_COUNTERS
from backend.returns.models import ReturnDraft
from backend.staff.invites import RETENTION as INVITES_KEPT_FOR
from backend.staff.models import StaffInvite, StaffSession
from backend.staff.sessions import RETENTION as STAFF_SESSIONS_KEPT_FOR
from backend.staff_notices.models import StaffNotice
from backend.stock_notices.models import StockNotice
from backend.webhooks.models import DeliveryState, WebhookDelivery
from backend.wishlist.models import WishlistEntry
from backend.wishlist.service import REMOVAL_RETENTION

MAIL_RETENTION = timedelta(days=90)
NOTIFICATION_RETENTION = timedelta(days=90)
ALERT_RETENTION = timedelta(days=90)
JOB_RETENTION = timedelta(days=90)
STAFF_NOTICE_RETENTION = timedelta(days=90)
SPREADSHEET_RETENTION = timedelta(days=30)
UNCONFIRMED_NOTICE_RETENTION, NOTICE_RETENTION = timedelta(days=7), timedelta(days=180)
UNKNOWN_ADDRESS_RETENTION = timedelta(days=90)
DELIVERED_RETENTION = timedelta(days=7)
WISH_RETENTION = timedelta(days=3 * 365)
DEFAULT_RETENTION = timedelta(days=30)
"""Retention of rows for which no other retention is defined here."""

_of_payment = (PaymentSession.provider_id == PaymentNotification.provider_id) & or_(
    PaymentSession.invoice == PaymentNotification.invoice,
    PaymentSession.id == PaymentNotification.session_id,
    PaymentSession.reference == PaymentNotification.reference,
)
_is_genuine = PaymentNotification.verdict == Verdict.GENUINE
_has_job = exists().where(Job.kind == SEND, Job.key == Mail.id)

RULES = (
    ABANDONED,
    OLD_DOCUMENTS,
    TidyRule(
        "news of carts that were deleted or not opened",
        CartNews,
        (CartNews.created_at <= db_now(-CART_NEWS_KEPT_FOR),),
    ),
    TidyRule(
        "expired quotations",
        ShippingQuote,
        (ShippingQuote.quoted_at <= db_now(-DEFAULT_RETENTION),),
    ),
    TidyRule(
        "mails that were sent, or will not be sent any more",
        Mail,
        (
            or_(
                Mail.sent_at <= db_now(-MAIL_RETENTION),
                and_(Mail.sent_at.is_(None), Mail.updated_at <= db_now(-MAIL_RETENTION), ~_has_job),
            ),
        ),
    ),
    TidyRule(
        "mails that do not count for a limit any more", MailSlot, (MailSlot.taken_at <= db_now(-2 * DAY),)
    ),
    TidyRule(
        "notifications of final payments",
        PaymentNotification,
        (
            _is_genuine,
            PaymentNotification.handled_at <= db_now(-NOTIFICATION_RETENTION),
            PaymentNotification.updated_at <= db_now(-NOTIFICATION_RETENTION),
            ~exists().where(_of_payment, PaymentSession.state.not_in(FINAL_STATES)),
            ~exists().where(
                _of_payment,
                Attention.payment_session_id == PaymentSession.id,
                Attention.resolved_at.is_(None),
            ),
        ),
    ),
    TidyRule(
        "notifications without effect",
        PaymentNotification,
        (~_is_genuine, PaymentNotification.updated_at <= db_now(-DEFAULT_RETENTION)),
    ),
    TidyRule(
        "unknown addresses that nobody visits any more",
        UnknownAddress,
        (UnknownAddress.seen_at <= db_now(-UNKNOWN_ADDRESS_RETENTION),),
    ),
    TidyRule(
        "drafts of returns whose exchange was deleted with its cart",
        ReturnDraft,
        (
            ReturnDraft.exchange_id.is_not(None),
            ~exists().where(Exchange.id == ReturnDraft.exchange_id),
        ),
    ),
    TidyRule("expired customer sessions", CustomerSession, (CustomerSession.expires_at <= db_now(),)),
    TidyRule("expired links for a new password", ResetLink, (ResetLink.expires_at <= db_now(),)),
    TidyRule(
        "logins without a customer",
        Login,
        (Login.customer_id.is_(None), Login.created_at <= db_now(-DEFAULT_RETENTION)),
    ),
    TidyRule(
        "guests without a cart, an order or data entered by staff",
        GuestCustomer,
        (
            GuestCustomer.created_at <= db_now(-DEFAULT_RETENTION),
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
    TidyRule(
        "notices to staff that were sent",
        StaffNotice,
        (StaffNotice.batched_at <= db_now(-STAFF_NOTICE_RETENTION),),
    ),
    TidyRule(
        "expired staff sessions",
        StaffSession,
        (StaffSession.expires_at < db_now(-STAFF_SESSIONS_KEPT_FOR),),
    ),
    TidyRule(
        "invitations that were not accepted",
        StaffInvite,
        (StaffInvite.expires_at <= db_now(-INVITES_KEPT_FOR),),
    ),
    TidyRule(
        "requests for a stock notice that were sent, not confirmed, or are too old",
        StockNotice,
        (
            or_(
                StockNotice.told_at <= db_now(-DEFAULT_RETENTION),
                and_(
                    StockNotice.confirmed_at.is_(None),
                    StockNotice.created_at <= db_now(-UNCONFIRMED_NOTICE_RETENTION),
                ),
                StockNotice.created_at <= db_now(-NOTICE_RETENTION),
            ),
        ),
    ),
    TidyRule(
        "products removed from wishlists, and products added years ago",
        WishlistEntry,
        (
            or_(
                and_(~WishlistEntry.is_saved, WishlistEntry.changed_at <= db_now(-REMOVAL_RETENTION)),
                WishlistEntry.changed_at <= db_now(-WISH_RETENTION),
            ),
        ),
    ),
    TidyRule("expired files that staff requested", DataExport, (DataExport.expires_at <= db_now(),)),
    TidyRule(
        "spreadsheets of products that staff sent, with the results of their rows",
        ProductImport,
        (ProductImport.created_at <= db_now(-SPREADSHEET_RETENTION),),
    ),
    TidyRule(
        "invoice data of orders whose customer's data were deleted, after the legal retention",
        Order,
        (
            Order.erased_at.is_not(None),
            Order.created_at <= db_now(-INVOICE_RETENTION),
            Order.email != "",
        ),
        erase_invoices,
    ),
    OLD_RECIPIENTS,
    EXPIRED_COUNTERS,
    EXPIRED_PRESSES,
    TidyRule("ended alerts", Alert, (Alert.ended_at <= db_now(-ALERT_RETENTION),)),
    TidyRule(
        "jobs that were given up and resolved",
        Job,
        (
            Job.failed_at <= db_now(-JOB_RETENTION),
            ~exists().where(
                Attention.kind == AttentionKind.JOB_FAILED,
                Attention.subject_id == cast(Job.id, String),
                Attention.resolved_at.is_(None),
            ),
        ),
    ),
    TidyRule(
        "changes that the storefront never received",
        OutboxEvent,
        (OutboxEvent.recorded_at <= db_now(-DEFAULT_RETENTION),),
    ),
    TidyRule(
        "events that other programs received, or never received",
        WebhookDelivery,
        (
            or_(
                WebhookDelivery.created_at <= db_now(-DEFAULT_RETENTION),
                and_(
                    WebhookDelivery.state == DeliveryState.DELIVERED,
                    WebhookDelivery.created_at <= db_now(-DELIVERED_RETENTION),
                ),
            ),
        ),
    ),
    TidyRule(
        "notifications of the embedded gateway that were delivered or given up",
        SandboxNotification,
        (
            SandboxNotification.created_at <= db_now(-DEFAULT_RETENTION),
            or_(SandboxNotification.delivered_at.is_not(None), SandboxNotification.due_at.is_(None)),
        ),
    ),
)
"""All rules use the database's clock."""
