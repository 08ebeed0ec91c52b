"""What may go wrong with an account, in a shopper's words where a page shows it beside a field."""

from backend.errors import InvalidData, Unauthorized
from backend.texts import _


class WrongPassword(Unauthorized):
    """Nobody has this address and password. It is not told which of the two is wrong."""

    def __init__(self) -> None:
        super().__init__("Invalid email or password")


class AddressTaken(InvalidData):
    """Somebody has an account with this address already."""

    def __init__(self) -> None:
        super().__init__(
            "Identity with email already exists",
            fields={
                "email": _(
                    "No podemos crear una cuenta con este correo. ¿Ya tienes una? Entra con tu contraseña."
                )
            },
        )


class LinkUsed(InvalidData):
    """A link for a new password that was used, is over, or never was."""

    def __init__(self) -> None:
        super().__init__(
            "The link is not valid", fields={"form": _("Este enlace ya se usó o venció. Pide uno nuevo.")}
        )
