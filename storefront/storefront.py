"""The app, put together on one page: pages, API, documents."""

import reflex as rx
from reflex.app import default_error_boundary

from storefront.mount import mount_api, shop_lifespan
from storefront.origins import accept_own_pages_only


class Greeting(rx.State):
    """Proves that a page, its websocket and its state work together."""

    times: int = 0

    @rx.event
    def greet(self) -> None:
        """Count one more greeting."""
        self.times += 1


def index() -> rx.Component:
    """A placeholder home."""
    return rx.el.main(
        rx.el.h1("Trompo"),
        rx.el.button("Saludar", on_click=Greeting.greet, data_testid="greet"),
        rx.el.output(Greeting.times, data_testid="greetings"),
    )


app = rx.App(
    api_transformer=mount_api,
    app_wraps={
        (55, "ErrorBoundary"): lambda _stateful: default_error_boundary()
    },  # without Reflex's own banners
    toaster=None,
    html_lang="es-CO",
)
app.register_lifespan_task(shop_lifespan)
accept_own_pages_only(app)
app.add_page(index, route="/", title="Trompo")
