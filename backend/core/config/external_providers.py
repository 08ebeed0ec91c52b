"""Creation of providers: those of this program, and those outside it, named as `id=package.module:Class`."""

from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeVar

from backend.core.config.problems import ProblemKind, create_problem, settings_error

if TYPE_CHECKING:
    from backend.core.config.settings import Settings

P = TypeVar("P")


def create_providers(
    port: type[Any],
    places: Mapping[str, str],
    factories: Mapping[str, Callable[[], P]],
    settings: "Settings",
) -> dict[str, P]:
    """Create the providers of a service, and return them by id.

    Args:
        port: the class that all of them extend.
        places: by provider id, the class of an external provider; empty for a provider of this program. See
            `backend.core.config.modules.registered_providers`.
        factories: functions that create the providers of this program, by id.
        settings: the shop's settings, for the providers outside this program.

    Raises:
        SettingsError: a provider outside this program cannot be created.
    """
    return {
        provider_id: create_external_provider(port, provider_id, place, settings)
        if place
        else factories[provider_id]()
        for provider_id, place in places.items()
    }


def create_external_provider(port: type[Any], provider_id: str, place: str, settings: "Settings") -> Any:
    """Import the class at `place` and create the provider: the class is called with the shop's settings.

    Returns:
        An instance of `port`.

    Raises:
        SettingsError: the class cannot be imported or created, is no subclass of `port`, or has another id.
    """
    named = {"provider": provider_id, "place": place}
    try:
        provider = resolve_name(place)(settings)
    except Exception as error:  # code of others may raise anything, and the start prints one line
        values = {"error": type(error).__name__, "reason": str(error).partition("\n")[0]}
        raise settings_error(create_problem(ProblemKind.FAILED_PROVIDER, **named, **values)) from error
    if not isinstance(provider, port):
        raise settings_error(create_problem(ProblemKind.WRONG_PROVIDER_CLASS, **named, port=port.__name__))
    if provider.id != provider_id:
        raise settings_error(create_problem(ProblemKind.WRONG_PROVIDER_ID, **named, found=provider.id))
    return provider
