"""Shapes of notifications in the responses of the Admin API."""

from typing_extensions import TypedDict

from backend.edge.wire import JsonDict, LastingStamps, Page

NotificationFields = TypedDict("NotificationFields", {"from": None})


class NotificationOut(NotificationFields, LastingStamps):
    """A mail about an order, or an entry of the caller's feed."""

    id: str
    to: str | None
    channel: str
    template: str
    data: JsonDict
    content: None
    trigger_type: str | None
    resource_id: str
    resource_type: str
    receiver_id: str | None
    original_notification_id: None
    idempotency_key: str
    external_id: None
    provider_id: str
    status: str


class NotificationAnswer(TypedDict):
    """Response with one notification."""

    notification: NotificationOut


class NotificationsAnswer(Page):
    """A page of the notifications."""

    notifications: list[NotificationOut]
