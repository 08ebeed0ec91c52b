"""Changes to what Reflex generates. Each refuses to build when the generated code is no longer what it knows."""

STATE_JS = "utils/state.js"
"""The script that talks to the server. It comes with Reflex and outlives a build: see `toolchain.prepare_web`."""


def unknown(generated: str, expected: str, plugin: str) -> RuntimeError:
    """What stops the build: `generated` no longer holds what is `expected` exactly once; `plugin` must be mended."""
    return RuntimeError(
        f"Reflex's {generated} has changed: expected {expected} exactly once. "
        f"Bring storefront/plugins/{plugin}.py in line with the installed Reflex."
    )
