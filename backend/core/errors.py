"""One tree of errors. They are raised where they are known and answered at the edge.

    ShopError
    ├── NotFound                 404  not_found
    ├── InvalidData              400  invalid_data       (`fields` names the inputs at fault)
    ├── NotAllowed               400  not_allowed
    │   └── InsufficientStock    400  not_allowed, code insufficient_inventory
    ├── Unauthorized             401  unauthorized
    ├── Forbidden                403  forbidden
    ├── Conflict                 409  conflict
    │   └── TotalChanged         409  conflict
    ├── PressUsed                409  conflict           (`backend.presses.service`: no error to a shopper)
    ├── Duplicate                422  duplicate_error
    ├── PaymentFailed            422  payment_authorization_error
    ├── NotImplementedByProvider 400  not_allowed
    ├── TooManyRequests          429  too_many_requests
    └── OutsideFailure           502  outside_failure    (a service we call failed)
        └── OutcomeUnknown       502                     (it may have acted: look it up, never repeat blindly)

Types and statuses follow the platform (wire: commerce-api, Error bodies). Messages of the API are English, as the
platform's are; people read the sentence of `backend.core.error_texts.text_for` instead.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

T = TypeVar("T")


class ShopError(Exception):
    """Base of every error that the shop raises on purpose.

    Attributes:
        status: the HTTP status the edge answers with.
        type: the platform's error type.
        code: the platform's error code, where it has one.
        message: what went wrong and what to correct.
        fields: message by input name, for errors that belong beside a field.
        shopper_text: the sentence for shoppers on every page, in the store's language. If it is empty, the page has one
            for the error's class (`backend.core.error_texts`).
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
        """The headers of the HTTP response."""
        return {}

    def body(self) -> dict[str, Any]:
        """The error as the platform's JSON: `{type, message}` and `code` only when set."""
        body: dict[str, Any] = {"type": self.type, "message": self.message}
        if self.code is not None:
            body["code"] = self.code
        return body


class NotFound(ShopError):
    """What was asked for does not exist."""

    status, type = 404, "not_found"


def require_found(found: T | None, noun: str, subject_id: str) -> T:
    """Return what was found.

    Raises:
        NotFound: it is None. The message has the platform's form: `noun`, as in "Sales channel", and the id.
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
    """Fewer units are available than were asked for."""

    code = "insufficient_inventory"


class NothingToPay(NotAllowed):
    """The total is 0, and no bank charges that."""


class NotImplementedByProvider(NotAllowed):
    """The provider does not offer this operation, and says so instead of pretending (spec: Errors)."""


class Unauthorized(ShopError):
    """The caller is not authenticated."""

    status, type = 401, "unauthorized"


class Forbidden(ShopError):
    """The caller is authenticated, but may not do this."""

    status, type = 403, "forbidden"


class Conflict(ShopError):
    """The state has changed; the caller must read it again, after `retry_after` seconds where that is known."""

    status, type, code = 409, "conflict", "invalid_state_error"

    def __init__(
        self, message: str, *, fields: Mapping[str, str] | None = None, retry_after: int | None = None
    ) -> None:
        super().__init__(message, fields=fields)
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """`Retry-After`, where it is known."""
        return {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}


class TotalChanged(Conflict):
    """The total the shopper saw is no longer the total: ask again instead of charging."""


class Duplicate(ShopError):
    """Something with this identity exists already."""

    status, type, code = 422, "duplicate_error", "invalid_request_error"


class PaymentFailed(ShopError):
    """The payment could not be started or was refused."""

    status, type = 422, "payment_authorization_error"


class TooManyRequests(ShopError):
    """The caller must wait, `retry_after` seconds at most."""

    status, type = 429, "too_many_requests"

    def __init__(self, message: str, *, retry_after: int, fields: Mapping[str, str] | None = None) -> None:
        super().__init__(message, fields=fields)
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the HTTP response."""
        return {"Retry-After": str(self.retry_after)}


class OutsideFailure(ShopError):
    """A service outside (gateway, carrier) refused, failed or answered what cannot be understood.

    Its `staff_text` says why it refused; it is empty where it failed or did not answer.
    """

    status, type = 502, "outside_failure"


class OutcomeUnknown(OutsideFailure):
    """The request left but no answer came: it may have had its effect. Look it up; never repeat it blindly."""


class CannotStart(SystemExit):
    """The shop cannot open. Printed as one line, without a traceback; it shows no address and no secret."""


class DatabaseUnavailable(OSError):
    """The database cannot be reached, or not in time. What was asked for has not been done, unless it was a commit.

    It is no `ShopError` on purpose: those who ask a provider take such an error for its refusal.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
