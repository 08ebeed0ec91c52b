"""The tree of the shop's errors. Services raise them; the edge turns them into responses.

    ShopError
    ├── NotFound                 404  not_found
    ├── InvalidData              400  invalid_data       (`fields` names the inputs at fault)
    ├── NotAllowed               400  not_allowed
    │   └── InsufficientStock    400  not_allowed, code insufficient_inventory
    ├── Unauthorized             401  unauthorized
    ├── Forbidden                403  forbidden
    ├── Conflict                 409  conflict
    │   └── TotalChanged         409  conflict
    ├── PressUsed                409  conflict           (`backend.presses.service`: never shown to a customer)
    ├── Duplicate                422  duplicate_error
    ├── PaymentFailed            422  payment_authorization_error
    ├── NotImplementedByProvider 400  not_allowed
    ├── TooManyRequests          429  too_many_requests
    └── OutsideFailure           502  outside_failure    (a service we call failed)
        └── OutcomeUnknown       502                     (the call may have had its effect: look it up, do not
            repeat it)

Types and statuses follow the platform (wire: commerce-api, Error bodies). Messages of the API are in English, like
the platform's; people read the sentence of `backend.core.error_texts.text_for` instead.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

T = TypeVar("T")


class ShopError(Exception):
    """Base of every error that the shop raises on purpose.

    Attributes:
        status: the HTTP status of the response.
        type: the platform's error type.
        code: the platform's error code, or None.
        message: what went wrong and what to correct.
        fields: message by input name, for errors that are displayed next to a field.
        shopper_text: the sentence for customers on every page, in the store's language. If it is empty, the page
            shows its sentence for the error's class (`backend.core.error_texts`).
        staff_text: the same for staff members.
    """

    status: ClassVar[int] = 500
    type: ClassVar[str] = "unexpected_state"
    code: ClassVar[str | None] = None
    shopper_text: str = ""
    staff_text: str = ""

    def __init__(
        self,
        message: str,
        *,
        fields: Mapping[str, str] | None = None,
        shopper_text: str = "",
        staff_text: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.fields: dict[str, str] = dict(fields or {})
        self.shopper_text = shopper_text or self.shopper_text
        self.staff_text = staff_text or self.staff_text

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the HTTP response."""
        return {}

    def body(self) -> dict[str, Any]:
        """Return the platform's JSON of the error: `{type, message}`, and `code` only if it is set."""
        body: dict[str, Any] = {"type": self.type, "message": self.message}
        if self.code is not None:
            body["code"] = self.code
        return body


class NotFound(ShopError):
    """The requested object does not exist."""

    status, type = 404, "not_found"


def require_found(found: T | None, noun: str, subject_id: str) -> T:
    """Return `found` if it is not None.

    Raises:
        NotFound: it is None. The message names `noun`, such as "Sales channel", and the id, as on the platform.
    """
    if found is None:
        raise NotFound(f"{noun} with id: {subject_id} was not found")
    return found


class InvalidData(ShopError):
    """The input is malformed or incomplete."""

    status, type = 400, "invalid_data"


class NotAllowed(ShopError):
    """The input is well formed, but the shop's state or rules forbid it."""

    status, type = 400, "not_allowed"


class InsufficientStock(NotAllowed):
    """Fewer units are available than were requested."""

    code = "insufficient_inventory"


class NothingToPay(NotAllowed):
    """The total is 0, and a bank cannot charge 0."""


class NotImplementedByProvider(NotAllowed):
    """The provider does not offer this operation (spec: Errors)."""


class Unauthorized(ShopError):
    """The caller is not authenticated."""

    status, type = 401, "unauthorized"


class Forbidden(ShopError):
    """The caller is authenticated, but has no right to do this."""

    status, type = 403, "forbidden"


class Conflict(ShopError):
    """The state has changed. The caller must read it again, after `retry_after` seconds if that is set."""

    status, type, code = 409, "conflict", "invalid_state_error"

    def __init__(
        self, message: str, *, fields: Mapping[str, str] | None = None, retry_after: int | None = None
    ) -> None:
        super().__init__(message, fields=fields)
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """`Retry-After`, if it is set."""
        return {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}


class TotalChanged(Conflict):
    """The total differs from the one that the customer saw; the customer must confirm the new one."""


class Duplicate(ShopError):
    """An object with this identity already exists."""

    status, type, code = 422, "duplicate_error", "invalid_request_error"


class PaymentFailed(ShopError):
    """The payment could not be started or was refused."""

    status, type = 422, "payment_authorization_error"


class TooManyRequests(ShopError):
    """The caller must wait, at most `retry_after` seconds."""

    status, type = 429, "too_many_requests"

    def __init__(self, message: str, *, retry_after: int, fields: Mapping[str, str] | None = None) -> None:
        super().__init__(message, fields=fields)
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the HTTP response."""
        return {"Retry-After": str(self.retry_after)}


class OutsideFailure(ShopError):
    """An external service (gateway, carrier) refused a request, failed, or gave an answer that cannot be understood.

    If the service refused the request, `staff_text` has its reason; otherwise it is empty.
    """

    status, type = 502, "outside_failure"


class OutcomeUnknown(OutsideFailure):
    """A request was sent, but no answer arrived, so it may have had its effect.

    Do not repeat the request: find out first whether it had its effect.
    """


class CannotStart(SystemExit):
    """The shop cannot start.

    The message is printed on one line, without a traceback, and contains no address and no secret.
    """


class DatabaseUnavailable(OSError):
    """The database cannot be reached, or does not answer in time.

    Nothing was changed, unless the failed statement was a commit. It is not a `ShopError`, because callers of a
    provider treat a `ShopError` as the provider's refusal.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
