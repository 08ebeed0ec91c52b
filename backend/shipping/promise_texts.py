"""Sentences for customers about the promise of delivery."""

from datetime import date, datetime

from backend.core.dates import (
    TIME_ZONE,
    day_label,
    day_name,
    hour_label,
    time_label,
    today_in_colombia,
    weekday_label,
)
from backend.core.texts import _
from backend.shipping.delivery_promise import DeliveryPromise

ONE_O_CLOCK = 1


def describe_offer(promise: DeliveryPromise, moment: datetime, *, is_pickup: bool) -> str:
    """Return the sentence about an option: «Si pagas hoy antes de las 3 p. m., llega a más tardar el lunes …»."""
    if not is_pickup and promise.day == today_in_colombia(moment):
        return _("Si pagas {deadline}, llega hoy mismo.").format(deadline=_format_deadline(promise, moment))
    sentence = (
        _("Si pagas {deadline}, lo puedes recoger desde el {day}.")
        if is_pickup
        else _("Si pagas {deadline}, llega a más tardar el {day}.")
    )
    return sentence.format(day=day_name(promise.day), deadline=_format_deadline(promise, moment))


def describe_pending(promise: DeliveryPromise, moment: datetime | None, *, is_pickup: bool) -> str:
    """Return the sentence that says when the order arrives if its pending payment is approved in time.

    `moment` is the current time. If it is None, because the text is read later, the sentence has dates, not «hoy».
    """
    sentence = (
        _("Si tu pago se aprueba {deadline}, lo puedes recoger desde el {day}.")
        if is_pickup
        else _("Si tu pago se aprueba {deadline}, llega a más tardar el {day}.")
    )
    return sentence.format(day=day_name(promise.day), deadline=_format_deadline(promise, moment))


def describe_promised(day: date, *, is_pickup: bool) -> str:
    """Return the sentence about the promised day of a paid order."""
    sentence = _("Lo puedes recoger desde el {day}.") if is_pickup else _("Llega a más tardar el {day}.")
    return sentence.format(day=day_name(day))


def describe_delay(seen: date, approved_at: datetime, *, is_pickup: bool) -> str:
    """Return the sentence for a paid order that arrives later than on the day that its customer saw before paying."""
    sentence = (
        _("Tu pago se aprobó el {time}, y por eso ya no es desde el {day}.")
        if is_pickup
        else _("Tu pago se aprobó el {time}, y por eso la entrega ya no es el {day}.")
    )
    return sentence.format(time=time_label(approved_at), day=day_name(seen))


def _format_deadline(promise: DeliveryPromise, moment: datetime | None) -> str:
    """Return the time limit of the promise: «hoy antes de las 3 p. m.», «antes de las 3 p. m. del lunes».

    Without a moment, the text names the date: «antes de las 3 p. m. del lunes 7 de diciembre».
    """
    deadline = promise.pay_before.astimezone(TIME_ZONE)
    is_singular = deadline.hour % 12 == ONE_O_CLOCK
    if moment is not None and today_in_colombia(moment) == deadline.date():
        text = _("hoy antes de la {hour}") if is_singular else _("hoy antes de las {hour}")
    else:
        text = _("antes de la {hour} del {day}") if is_singular else _("antes de las {hour} del {day}")
    day = day_label(promise.pay_before) if moment is None else weekday_label(promise.pay_before)
    hour = hour_label(deadline.hour).replace(" ", "\N{NO-BREAK SPACE}")
    return text.format(hour=hour, day=day)
