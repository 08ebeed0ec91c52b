"""Lets a page be drawn from data on the server, and taken over from the same data in the browser.

Reflex draws pages on the server with the compiled defaults of the state. Two small changes to the generated
`utils/context.jsx` give it data instead, the *seed* of the document: the values of some variables, by state.

- On the server the store reads the seed of the request it draws for, which the renderer keeps in an
  `AsyncLocalStorage` under `globalThis.documentSeed`.
- In the browser the store starts with the seed that the document carries in `<template id="seed">`.

A document without a seed, and a server without a renderer, work as before.
"""

from storefront.plugins import unknown

CONTEXT_JSX = "utils/context.jsx"
SEED_ID = "seed"

STORE = "function createStateStore(initialState) {\n"
IN_BROWSER = "useState(() => createStateStore(initialState))"
ON_SERVER = "getSnapshot: (substateName) => initialState[substateName],"

SEEDED = f"""\
// A seed over the initial state: {{state: {{variable: value}}}}. A state that the pages do not know is left out.
function seeded(seed) {{
  const state = {{ ...initialState }};
  for (const [name, values] of Object.entries(seed ?? {{}})) {{
    if (name in state) state[name] = {{ ...state[name], ...values }};
  }}
  return state;
}}

function seedOfPage() {{
  const carrier = document.getElementById("{SEED_ID}");
  return carrier && JSON.parse(carrier.content.textContent);
}}

function stateOfRequest() {{
  const request = globalThis.documentSeed?.getStore();
  return request ? (request.state ??= seeded(request.seed)) : initialState;
}}

"""


def with_seed(source: str) -> str:
    """The generated module with both changes.

    Raises:
        RuntimeError: the module is not the one this plugin was written for.
    """
    for known in (STORE, IN_BROWSER, ON_SERVER):
        if source.count(known) != 1:
            raise unknown(CONTEXT_JSX, f"`{known.strip()}`", "seed")
    return (
        source.replace(STORE, SEEDED + STORE)
        .replace(IN_BROWSER, "useState(() => createStateStore(seeded(seedOfPage())))")
        .replace(ON_SERVER, "getSnapshot: (substateName) => stateOfRequest()[substateName],")
    )
