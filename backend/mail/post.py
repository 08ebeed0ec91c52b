"""The post office: takes mails that are due, one at a time, until they have left.

- At least once: a mail counts as sent after it has left. If we die in between, it leaves again.
- By one at a time: a claim moves `due_at` on and finds only what is still due. It ends by itself.
"""

import logging
from datetime import timedelta

from sqlalchemy import bindparam, select, update

from backend.clock import now
from backend.database import Database
from backend.errors import NotFound
from backend.mail.carriers import Carrier
from backend.mail.letters import letter_of
from backend.mail.models import Mail
from backend.mail.record import Kind
from backend.rounds import Rounds
from backend.settings import Settings

log = logging.getLogger(__name__)

CLAIM_ENDS_AFTER = timedelta(minutes=2)
MOST_ATTEMPTS = 12
LOOK_AGAIN = 1.0
"""Seconds between two looks into the outbox."""

_DUE = select(Mail).where(Mail.due_at <= bindparam("moment")).order_by(Mail.due_at).limit(1)
_TO_CLAIM = _DUE.with_for_update(skip_locked=True)
_HAS_LEFT = (
    update(Mail)
    .where(Mail.id == bindparam("mail_id"), Mail.due_at == bindparam("claimed_until"))
    .values(due_at=None, sent_at=bindparam("left_at"))
    .execution_options(synchronize_session=False)
)


def pause_after(attempts: int) -> timedelta:
    """How long after the n-th vain attempt the next one follows: 10, 20, 40 … seconds, an hour at most."""
    return timedelta(seconds=min(5.0 * 2.0**attempts, 3600.0))


class Post:
    """Sends what is due while it runs. Every replica runs one; they share the work."""

    def __init__(self, database: Database, settings: Settings, carrier: Carrier) -> None:
        self._database = database
        self._settings = settings
        self._carrier = carrier
        self._rounds = Rounds("post", self._send_all_due, LOOK_AGAIN)

    def start(self) -> None:
        """Begin to send, from where the last run left off."""
        self._rounds.start()

    async def stop(self) -> None:
        """Stop. What has not left stays."""
        await self._rounds.stop()

    async def send_due(self) -> bool:
        """Try the mail that has been due the longest. Whether there was one."""
        mail = await self._claim()
        if mail is None:
            return False
        try:
            # a reset's letter holds a link whose hash is kept before the mail leaves; the others are only read
            is_reset = mail.kind == Kind.RESET
            async with self._database.transaction() if is_reset else self._database.read() as session:
                letter = await letter_of(session, self._settings, mail)
            if letter is not None:
                await self._carrier.send(letter)
        except NotFound as error:
            log.warning("mail %s is about nothing any more: %s", mail.id, error.message)
        except OSError as error:
            await self._put_off(mail, error)
            return True
        await self._settle(mail)
        return True

    async def _send_all_due(self) -> None:
        while await self.send_due():
            pass

    async def _claim(self) -> Mail | None:
        moment = now()
        async with self._database.read() as session:
            if (await session.execute(_DUE, {"moment": moment})).first() is None:
                return None  # the usual case takes no lock
        async with self._database.transaction() as session:
            mail = (await session.execute(_TO_CLAIM, {"moment": moment})).scalar_one_or_none()
            if mail is not None:
                mail.attempts += 1
                mail.due_at = moment + CLAIM_ENDS_AFTER
        return mail

    async def _settle(self, mail: Mail) -> None:
        """It has left; unless it was asked for once more meanwhile."""
        async with self._database.transaction() as session:
            told = {"mail_id": mail.id, "claimed_until": mail.due_at, "left_at": now()}
            await session.execute(_HAS_LEFT, told)

    async def _put_off(self, mail: Mail, error: OSError) -> None:
        is_last = mail.attempts >= MOST_ATTEMPTS
        log.log(
            logging.ERROR if is_last else logging.WARNING,
            "mail %s could not leave (%s)%s",
            mail.id,
            type(error).__name__,
            " and is given up" if is_last else "",
        )
        async with self._database.transaction() as session:
            await session.execute(
                update(Mail)
                .where(Mail.id == mail.id, Mail.due_at == mail.due_at)
                .values(due_at=None if is_last else now() + pause_after(mail.attempts))
            )
