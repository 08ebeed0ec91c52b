"""The mail about an edit lists the changes, the new bill and the difference."""

from sqlalchemy import select

from backend.mail.messages import compose_message
from backend.mail.models import Mail, MailKind
from tests.amounts import cop
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.order_edits.editing_kit import confirm, place_paid_order, write_edit


async def test_mail_about_an_edit_lists_the_changes_and_the_owed_difference(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    yoyo = await till.make_variant("yoyo", stock=5, price=60_000)
    order = await place_paid_order(till, trompo)
    edit = await write_edit(till, order, added={yoyo: 2}, quantities={trompo: 0})
    await confirm(till, edit)
    async with till.database.transaction() as session:
        mail = (await session.execute(select(Mail).where(Mail.kind == MailKind.ORDER_EDITED))).scalar_one()
        message = await compose_message(session, till.checkout.settings, mail)
    assert (message is not None, mail.about) == (True, edit.id)
    assert message is not None
    assert message.to == "ana@example.com"
    assert message.values["changes"] == ["Quitamos 1 × Trompo", "Agregamos 2 × Yoyo"]
    assert (message.values["owed"], message.values["surplus"]) == (cop("$ 80.000"), "")
    assert message.values["promise"] == ""  # it is packed only after the difference is paid
    assert message.values["bill"][-1] == ("Total", cop("$ 120.000"))


async def test_mail_about_an_edit_that_makes_the_order_cheaper_states_the_refund(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    order = await place_paid_order(till, trompo, 2)
    await confirm(till, await write_edit(till, order, quantities={trompo: 1}), PRICE)
    async with till.database.transaction() as session:
        mail = (await session.execute(select(Mail).where(Mail.kind == MailKind.ORDER_EDITED))).scalar_one()
        message = await compose_message(session, till.checkout.settings, mail)
    assert message is not None
    assert (message.values["owed"], message.values["surplus"]) == ("", cop("$ 40.000"))
    assert message.values["promise"] != ""
    assert message.values["changes"] == ["Trompo: 1 en vez de 2"]
