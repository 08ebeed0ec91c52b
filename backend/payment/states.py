"""The states of one try to pay, and the only ways between them.

    from                    to                                              because
    ----------------------  ----------------------------------------------  -----------------------------------------
    pending                 authorized, captured, canceled                  a provider without a bank page
    initiating              pending_authorization                           the bank-create call succeeded
                            failed                                          the gateway refused it: nothing was started
                            unknown                                         no answer came: it may have been started
    unknown                 pending_authorization                           found again
    initiating, unknown,    captured                                        approved at the bank
      pending_authorization rejected, canceled, expired                     refused, given up, or nobody decided in time
                            held                                            the gateway looks into it
    held                    captured, rejected, canceled, expired           it has decided
    authorized              captured, canceled                              the shop takes the money, or lets it go
    captured, rejected,     nothing                                         final: a late code undoes nothing
      canceled, expired,
      failed

(spec: States and transitions; design: decisions 4 and 5.) An approval that comes for a final state is never lost: it is
recorded on the try (`paid_late_at`) for a person to settle.
"""

from enum import StrEnum


class SessionState(StrEnum):
    """Where one try to pay stands."""

    PENDING = "pending"
    INITIATING = "initiating"
    UNKNOWN = "unknown"
    PENDING_AUTHORIZATION = "pending_authorization"
    AUTHORIZED = "authorized"
    HELD = "held"
    CAPTURED = "captured"
    REJECTED = "rejected"
    CANCELED = "canceled"
    EXPIRED = "expired"
    FAILED = "failed"

    @property
    def is_final(self) -> bool:
        """Whether no way leads on from here."""
        return not _WAYS[self]

    @property
    def is_open(self) -> bool:
        """Whether the provider has still to say how it ends."""
        return self in OPEN

    def leads_to(self, other: "SessionState") -> bool:
        """Whether the try may go from here to `other`."""
        return other in _WAYS[self]


S = SessionState
_ENDS = frozenset({S.CAPTURED, S.REJECTED, S.CANCELED, S.EXPIRED})
_WAYS: dict[SessionState, frozenset[SessionState]] = {
    S.PENDING: frozenset({S.AUTHORIZED, S.CAPTURED, S.CANCELED}),
    S.INITIATING: _ENDS | {S.PENDING_AUTHORIZATION, S.UNKNOWN, S.FAILED, S.HELD},
    S.UNKNOWN: _ENDS | {S.PENDING_AUTHORIZATION, S.HELD},
    S.PENDING_AUTHORIZATION: _ENDS | {S.HELD},
    S.HELD: _ENDS,
    S.AUTHORIZED: frozenset({S.CAPTURED, S.CANCELED}),
    S.CAPTURED: frozenset(),
    S.REJECTED: frozenset(),
    S.CANCELED: frozenset(),
    S.EXPIRED: frozenset(),
    S.FAILED: frozenset(),
}

OPEN = frozenset({S.INITIATING, S.UNKNOWN, S.PENDING_AUTHORIZATION, S.HELD})
LIVE = frozenset({S.PENDING, S.INITIATING, S.PENDING_AUTHORIZATION})
"""At most one try of a collection is in these at a time; the database sees to it."""
