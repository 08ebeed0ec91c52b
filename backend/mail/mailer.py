"""Sends the mails: each is a job, enqueued with what it tells of, until it has left.

At least once: a mail counts as sent after it has left. If the process dies in between, it leaves again.
"""

import logging
from datetime import timedelta

from backend.database import Database, database_now
from backend.errors import NotFound
from backend.jobs import JobRun, job
from backend.mail.carriers import Carrier
from backend.mail.letters import letter_of
from backend.mail.models import Mail
from backend.mail.record import SEND, Kind
from backend.settings import Settings

log = logging.getLogger(__name__)


class Mailer:
    """Writes mails and hands them to the mail server, or to the folder that stands in for one."""

    def __init__(self, database: Database, settings: Settings, carrier: Carrier) -> None:
        self._database = database
        self._settings = settings
        self._carrier = carrier

    @job(SEND, timeout=timedelta(seconds=45), give_up_after=timedelta(days=3))
    async def send(self, run: JobRun) -> None:
        """Write the mail and send it.

        Raises:
            OSError: it could not leave; smtplib's errors are such.
        """
        mail_id = str(run.key)
        async with self._database.read() as session:
            mail = await session.get(Mail, mail_id)
        if mail is None or mail.sent_at is not None:
            return
        try:
            # a reset's letter holds a link whose hash is kept before the mail leaves; the others are only read
            is_reset = mail.kind == Kind.RESET
            async with self._database.transaction() if is_reset else self._database.read() as session:
                letter = await letter_of(session, self._settings, mail)
        except NotFound as error:
            log.warning("mail %s is about nothing any more: %s", mail_id, error.message)
            letter = None
        if letter is not None:
            await self._carrier.send(letter)
        async with self._database.transaction() as session:
            sent = await session.get_one(Mail, mail_id)
            sent.sent_at = await database_now(session)
