"""`trompo mail`: manage mails. A command's own module is imported only when it runs."""

from typing import TYPE_CHECKING, Annotated

import typer

from backend.cli.context import with_database

if TYPE_CHECKING:
    from backend.core.db.database import Database
    from backend.mail.resend import ResendResult

mail = typer.Typer(help="Manage mails.", no_args_is_help=True)


@mail.callback()
def _mail() -> None:
    """Manage mails."""


@mail.command("resend")
def resend(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[MAIL]...", help="The ids of mails.")] = None,
    *,
    order: Annotated[
        str, typer.Option(metavar="NUMBER", help="All mails about this order, by its number or id.")
    ] = "",
    given_up: Annotated[bool, typer.Option("--given-up", help="All that were given up.")] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Also send mails again that were sent before.")
    ] = False,
) -> None:
    """Let the running shop immediately send mails again that could not be sent.

    The shop retries a mail for three days at most. After that, it creates an attention row, which this
    command resolves. The command may be repeated: it skips mails that are being sent and, without --again,
    mails that were sent. It prints no addresses.

    Examples:
        trompo mail resend --given-up

        trompo mail resend --order 41875203 --again
    """
    from backend.core.errors import ShopError
    from backend.mail import resend

    if sum((bool(ids), bool(order), given_up)) != 1:
        raise typer.BadParameter(
            "choose one of them: ids of mails, --order or --given-up", param_hint="mails"
        )
    if given_up and again:
        raise typer.BadParameter("mails that were given up were not sent: omit --again", param_hint="mails")

    async def work(database: "Database") -> "list[ResendResult]":
        if order:
            return await resend.resend_order_mails(database, order, again=again)
        if given_up:
            return await resend.resend_given_up_mails(database)
        return [await resend.resend_mail(database, one, again=again) for one in ids or ()]

    try:
        done = with_database(work)
    except ShopError as error:
        typer.echo(error.message, err=True)
        raise typer.Exit(1) from None
    for line in done:
        typer.echo(str(line))
    typer.echo(f"{sum(one.is_sent_again for one in done)} of {len(done)} mails are sent again.")
