"""Lets a page stay as it is while the server says everything anew: see `assets/scripts/reconnecting.js`.

Reflex shows what comes as it comes. After a restart of the server that is an empty state first, and every page went
back to its skeleton for a moment: scrolled, folded up, and without what was typed in it.
"""

from storefront.plugins import STATE_JS, unknown

IMPORT = 'import { inTurn, show, startOver } from "$/public/scripts/reconnecting.js";\n'
CHANGES = {
    "      socket.current.auth = bootAuth(false);\n": """\
      startOver();
      socket.current.auth = bootAuth(false);
""",
    """\
        for (const substate in delta) {
          dispatch[substate](delta[substate]);
        }
""": """\
        show(delta, dispatch, app.state_name);
""",
    "  // Send the event to the server.\n": """\
  event = inTurn(
    event,
    () => app.initialEvents()[0],
    (events) => queueEvents(events, socket, true, navigate, params),
  );
  if (!event) return;

  // Send the event to the server.
""",
}


def in_one_piece(source: str) -> str:
    """The script that talks to the server, showing what it says anew when that is whole.

    Raises:
        RuntimeError: the script is not the one this plugin was written for.
    """
    if source.startswith(IMPORT):
        return source
    for known, ours in CHANGES.items():
        if source.count(known) != 1:
            raise unknown(STATE_JS, f"`{known.strip()}`", "reconnecting")
        source = source.replace(known, ours)
    return IMPORT + source
