"""Undocumented names of Reflex and of its websocket libraries that this project uses.

Each name has a test: after an upgrade of Reflex, the failing tests name what has moved, which module of ours uses
it, and why. `docs/reflex.md` explains each use, and what we would ask of upstream.

| fault | outcome |
|---|---|
| a class, function, method or constant was removed or renamed | `exists` fails with its name |
| a method that we override or replace has other arguments | `overridden` fails with both lists |
| a function that we call no longer accepts our arguments, or needs more | `called` fails with the problem |
| a field that we read or set was removed | `field` fails with its name |
| a name is looked up elsewhere, so our replacement is not used | `looked_up` fails with both names |
| generated JavaScript lacks a text that our scripts read | `text` fails with the missing text |
"""

import asyncio
import importlib
import inspect
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import reflex as rx
from reflex_base.utils.exceptions import VarAttributeError

EXT, SERVER, TESTS = "storefront/reflex_ext/", "storefront/server/", "tests/"


@dataclass(frozen=True)
class Use:
    """A library's name that our code uses, and the conditions that it must meet.

    Attributes:
        name: `module:qualified.name`.
        by: our module that uses it.
        why: its purpose for our module, as a verb phrase: "checks every event".
        overridden: the names of all arguments of a method that we override or replace.
        arguments: the number of positional arguments in our call.
        named: the names of the keyword arguments in our call.
        is_called: True if our call has no arguments.
        fields: the fields of its instances that we read or set.
        value: the value that it must have.
        looked_up: global names and attributes that its code must look up.
    """

    name: str
    by: str
    why: str
    overridden: tuple[str, ...] = ()
    arguments: int = 0
    named: tuple[str, ...] = ()
    is_called: bool = False
    fields: tuple[str, ...] = ()
    value: Any = None
    looked_up: tuple[str, ...] = ()


USES = (
    # -------------------------------------------------------------------------------------------- the websocket
    Use("reflex.app:EventNamespace", EXT + "socket_guard.py", "is replaced by GuardedNamespace", arguments=2),
    Use(
        "reflex.app:EventNamespace.on_connect",
        EXT + "socket_guard.py",
        "checks the first frame",
        overridden=("self", "sid", "environ", "auth"),
    ),
    Use(
        "reflex.app:EventNamespace.on_event",
        EXT + "socket_guard.py",
        "checks every event",
        overridden=("self", "sid", "data"),
    ),
    Use(
        "reflex.app:EventNamespace.on_disconnect",
        EXT + "socket_guard.py",
        "forgets the socket",
        overridden=("self", "sid"),
    ),
    Use(
        "reflex.app:EventNamespace.emit_update",
        EXT + "page_states.py",
        "sends a page events that no event of its own caused",
        arguments=3,
    ),
    Use("reflex.app:EventNamespace.token_to_sid", EXT + "page_states.py", "tells which pages are connected"),
    Use("reflex.app:EventNamespace.sid_to_token", EXT + "socket_guard.py", "tells the page of a socket"),
    Use(
        "reflex.app:EventNamespace.__init__",
        EXT + "socket_guard.py",
        "finds the socket of a page whose events fail",
        looked_up=("_token_manager",),
    ),
    Use(
        "reflex.utils.token_manager:TokenManager.__init__",
        EXT + "socket_guard.py",
        "finds the socket of a page whose events fail",
        looked_up=("token_to_socket",),
    ),
    Use(
        "reflex.utils.token_manager:SocketRecord",
        EXT + "socket_guard.py",
        "finds the socket of a page whose events fail",
        fields=("sid",),
    ),
    Use("reflex.app:App", EXT + "socket_guard.py", "has the guard in the place of its namespace",
        fields=("_event_namespace", "_api", "sio")),
    Use(
        "reflex.app:App.event_namespace.fget",
        EXT + "socket_guard.py",
        "has the guard in the place of its namespace",
        looked_up=("_event_namespace",),
    ),
    Use(
        "reflex.app:App._setup_state",
        EXT + "socket_guard.py",
        "mounts the websocket that the guard stands before, and registers the namespace it replaces",
        looked_up=("_api", "mount", "sio", "register_namespace", "_event_namespace"),
    ),
    Use("socketio:AsyncServer.register_namespace", EXT + "socket_guard.py", "registers the guard", arguments=2),
    Use("socketio:AsyncNamespace.disconnect", EXT + "socket_guard.py", "closes a socket", arguments=2),
    Use("socketio.packet:Packet", EXT + "socket_frames.py", "reads a frame as Socket.IO does",
        named=("encoded_packet",)),
    Use("socketio.packet:CONNECT", EXT + "socket_frames.py", "tells the kinds of packets apart", value=0),
    Use("socketio.packet:EVENT", EXT + "socket_frames.py", "tells the kinds of packets apart", value=2),
    Use("engineio.base_server:BaseServer._cors_allowed_origins", EXT + "socket_origin.py",
        "asks our function who may open the websocket", looked_up=("cors_allowed_origins",)),
    Use("engineio.async_socket:AsyncSocket._websocket_handler", EXT + "socket_guard.py",
        "bounds a frame", looked_up=("max_http_buffer_size",)),
    Use("reflex_base.constants:Endpoint.EVENT.value", EXT + "socket_frames.py",
        "names the websocket's path; also in server/mount.py, documents/app.py and patches.py", value="_event"),
    Use("reflex_base.constants:SocketEvent.EVENT", EXT + "socket_frames.py", "names what pages send", value="event"),
    Use("reflex_base.constants:SocketEvent.CLIENT_ERROR", EXT + "socket_frames.py", "names what pages send",
        value="client_error"),
    Use("reflex_base.constants:CompileVars.CONNECT_AUTH_EVENT", EXT + "socket_frames.py",
        "is a part of the first frame", value="event"),
    Use("reflex_base.constants:CompileVars.CONNECT_AUTH_STATE_SCHEMA", EXT + "socket_frames.py",
        "is a part of the first frame", value="state_schema"),
    Use("reflex_base.constants:CompileVars.HYDRATE_AND_LOAD", EXT + "state_loss.py",
        "is the first event of a page", value="hydrate_and_load"),
    Use("reflex_base.constants:CompileVars.UPDATE_VARS_INTERNAL", EXT + "socket_frames.py",
        "brings what a browser stores",
        value="reflex___state____update_vars_internal_state.update_vars_internal"),
    Use("reflex.state:State.hydrate_and_load.fn", EXT + "state_loss.py",
        "is sent `hashes` by a new document, and `vars` by every page", overridden=("self", "vars", "hashes")),
    Use("reflex.utils.format:sanitize_client_log_value", EXT + "socket_frames.py",
        "logs a name that a browser sent", arguments=1, named=("max_length",)),
    # -------------------------------------------------------------------------------------------- events
    Use("reflex.app:App._setup_event_processor.__wrapped__", EXT + "event_processor.py",
        "makes the processor that we put in the place of Reflex's", looked_up=("BaseStateEventProcessor",)),
    Use("reflex.app:BaseStateEventProcessor", EXT + "event_processor.py", "is replaced by ObservedEvents"),
    Use(
        "reflex_base.event.processor:BaseStateEventProcessor._execute_event",
        EXT + "event_processor.py",
        "gives each event a log scope, figures and its press",
        overridden=("self", "entry", "registered_handler"),
    ),
    Use("reflex_base.event.processor:EventQueueEntry", EXT + "event_processor.py", "is what is handled",
        fields=("event", "ctx")),
    Use("reflex_base.event.processor.event_processor:EventProcessor", EXT + "event_processor.py",
        "tells a worker that ends whether events are under way", fields=("_tasks",)),
    Use("reflex.app:App.event_processor", EXT + "event_processor.py",
        "tells a worker that ends whether events are under way"),
    Use("reflex_base.event.context:EventContext.get", EXT + "event_processor.py", "knows the event at hand",
        is_called=True),
    Use("reflex_base.event.context:EventContext", EXT + "event_processor.py", "knows the event at hand",
        fields=("token", "txid", "parent_txid")),
    Use("reflex_base.event.context:EventContext.emit_event", EXT + "event_processor.py",
        "confirms a press to its page", arguments=2),
    Use("reflex_base.registry:RegistrationContext.get", EXT + "socket_frames.py", "knows every event handler",
        is_called=True),
    Use("reflex_base.registry:RegistrationContext.event_handlers", EXT + "socket_frames.py",
        "knows every event handler"),
    Use("reflex_base.registry:RegistrationContext.app", EXT + "socket_guard.py", "finds the app of an event"),
    Use("reflex_base.registry:RegistrationContext.get_substates", EXT + "on_demand_states.py",
        "knows the substates that Reflex must not make", arguments=2),
    Use("reflex_base.registry:RegisteredEventHandler", EXT + "socket_frames.py", "checks an event's arguments",
        fields=("handler",)),
    Use("reflex_base.event:EventHandler", EXT + "socket_frames.py", "checks an event's arguments",
        fields=("fn", "event_actions")),
    Use("reflex_base.event:EVENT_ACTIONS_MARKER", EXT + "event_processor.py", "marks a handler as a press",
        value="_rx_event_actions"),
    Use("reflex_base.event:Event", EXT + "event_processor.py", "is sent to a page", named=("name", "payload")),
    Use("reflex_base.event:Event.from_event_type", "storefront/live/refresh.py",
        "takes what a state's `_update` returns", arguments=1),
    Use("reflex.middleware.middleware:Middleware.preprocess", EXT + "state_loss.py",
        "stops events of a page whose state is lost; also new_documents.py",
        overridden=("self", "app", "state", "event")),
    Use("reflex.app:App.add_middleware", "storefront/storefront.py", "adds both middlewares", arguments=2),
    # -------------------------------------------------------------------------------------------- states
    Use("reflex.state:BaseState.__init__", EXT + "on_demand_states.py",
        "makes a state without its substates",
        overridden=("self", "parent_state", "init_substates", "_reflex_internal_init", "kwargs")),
    Use("reflex.state:BaseState.dict", EXT + "on_demand_states.py", "says nothing of states on demand",
        overridden=("self", "include_computed", "initial", "kwargs")),
    Use("reflex.state:BaseState.get_substates.__func__", EXT + "on_demand_states.py",
        "hides states on demand from the compiler, from Redis and from every new page", overridden=("cls",)),
    Use("reflex.state:BaseState.get_class_substate.__func__", EXT + "on_demand_states.py",
        "finds states on demand", overridden=("cls", "path")),
    Use("reflex.state:_override_base_method", EXT + "on_demand_states.py",
        "keeps an overriding method from becoming an event that anybody may send", arguments=1),
    Use("reflex.state:BaseState.get_name", EXT + "on_demand_states.py", "finds states on demand", is_called=True),
    Use("reflex.state:BaseState.get_full_name", EXT + "state_loss.py", "names events and states", is_called=True),
    Use("reflex.state:BaseState.get_substate", EXT + "office_bundle.py", "makes the defaults of a state",
        arguments=2),
    Use("reflex.state:BaseState.get_state", EXT + "state_loss.py", "reads a state", arguments=2),
    Use("reflex.state:BaseState.get_fields", EXT + "state_loss.py", "compares a state with a new one", is_called=True),
    Use("reflex_base.vars.base:Field.default_value", EXT + "state_loss.py", "compares a state with a new one",
        arguments=1),
    Use("reflex.state:BaseState.reset", EXT + "state_loss.py", "forgets what another session left", arguments=1),
    Use("reflex.state:StateUpdate", EXT + "page_states.py", "is sent to a page", named=("events",)),
    Use("reflex.state:State.get_full_name", "tests/attacks/handlers.txt", "is in the name of every event",
        is_called=True),
    Use("reflex.app:App.state_manager", EXT + "closed_pages.py", "frees the states of closed pages"),
    Use("reflex.app:App.modify_state", EXT + "page_states.py", "changes a page without an event", arguments=2),
    Use("reflex.istate.manager.token:BaseStateToken", EXT + "page_states.py", "names a page's states",
        named=("ident", "cls")),
    Use("reflex.istate.manager.token:BaseStateToken.lock_key", EXT + "closed_pages.py",
        "asks whether an event is at work in a page"),
    Use("reflex.istate.manager.memory:StateManagerMemory", EXT + "closed_pages.py",
        "asks whether an event is at work in a page", fields=("_states_locks",)),
    Use("reflex.istate.manager.memory:StateManagerMemory._purge_token", EXT + "closed_pages.py",
        "frees the states of closed pages", arguments=2),
    Use("reflex.istate.data:RouterData.from_router_data", EXT + "detached_states.py",
        "tells a state without a page where it is", arguments=1),
    Use("reflex_base.constants.state:FIELD_MARKER", EXT + "variable_names.py",
        "is appended to a variable's name in the browser; also in assets/scripts/reconnecting.js",
        value="_rx_state_"),
    Use("reflex_base.utils.format:json_dumps", EXT + "detached_states.py",
        "writes values as the browser gets them; also office_bundle.py", arguments=1),
    # -------------------------------------------------------------------------------------------- pages
    Use("reflex.vars:Var._get_all_var_data", EXT + "hooks.py", "passes on what a hook's arguments need", arguments=1),
    Use("reflex.vars:Var", EXT + "hooks.py", "makes a variable of a hook",
        arguments=1, named=("_var_type", "_var_data"), fields=("_var_type",)),
    Use("reflex_base.vars:VarData", EXT + "hooks.py", "makes a variable of a hook", named=("imports", "hooks")),
    Use("reflex_base.utils.imports:ImportVar", EXT + "hooks.py", "makes a variable of a hook", named=("tag",)),
    Use("reflex.vars:FunctionVar.call", EXT + "hooks.py", "calls a hook", arguments=2),
    Use("reflex_components_core.base.error_boundary:ErrorBoundary", EXT + "elements.py",
        "stands around all pages, in the shop's words"),
    Use("reflex_components_core.core.banner:has_too_many_connection_errors", EXT + "elements.py",
        "says that the connection is lost"),
    Use("reflex_components_core.el.elements.inline:A", EXT + "elements.py", "is a link within the page"),
    # -------------------------------------------------------------------------------------------- the build
    Use("reflex.plugins.base:Plugin.pre_compile", EXT + "patches.py", "patches what Reflex generates",
        overridden=("self", "context")),
    Use("reflex.plugins.base:Plugin.post_build", EXT + "patches.py", "divides the manifest",
        overridden=("self", "context")),
    Use("reflex.plugins.base:PreCompileContext.__annotations__", EXT + "patches.py",
        "patches what Reflex generates", fields=("add_modify_task", "add_save_task")),
    Use("reflex.plugins.base:PostBuildContext.__annotations__", EXT + "patches.py", "divides the manifest",
        fields=("static_dir",)),
    Use("reflex_base.constants:Templates.Dirs.WEB_TEMPLATE", SERVER + "toolchain.py",
        "has `utils/state.js` as Reflex wrote it"),
    Use("reflex_base.constants:ReactRouter.SPA_FALLBACK", "storefront/documents/app.py",
        "is the document without content", value="__spa-fallback.html"),
    Use("reflex.utils.precompressed_staticfiles:PrecompressedStaticFiles", EXT + "earlier_builds.py",
        "serves the scripts of earlier builds as Reflex serves those of this one",
        named=("directory", "check_dir", "encodings")),
    Use("reflex.config:get_config", EXT + "patches.py", "knows where the backend listens", is_called=True),
    Use("reflex_base.config:Config", EXT + "patches.py", "knows where the backend listens; also earlier_builds.py",
        fields=("api_url", "frontend_compression_formats")),
    Use("reflex.utils.prerequisites:needs_reinit", SERVER + "toolchain.py", "makes `.web`", is_called=True),
    Use("reflex.utils.prerequisites:initialize_frontend_dependencies", SERVER + "toolchain.py", "makes `.web`",
        is_called=True),
    Use("reflex.utils.prerequisites:get_web_dir", SERVER + "toolchain.py", "makes `.web`", is_called=True),
    Use("reflex.utils.prerequisites:get_compiled_app", SERVER + "build.py", "compiles the pages",
        named=("prerender_routes", "trigger")),
    Use("reflex.utils.build:setup_frontend", SERVER + "build.py", "compiles the pages", arguments=1),
    Use("reflex.utils.build:build", SERVER + "build.py", "bundles the pages", is_called=True),
    Use("reflex.utils.exec:is_prod_mode", SERVER + "mount.py",
        "tells production; also draining.py and reflex_ext/socket_origin.py", is_called=True),
    Use("reflex_base.constants:Env.PROD", SERVER + "toolchain.py", "asks for production"),
    Use("reflex_base.otel:enable", SERVER + "mount.py", "joins Reflex's traces to ours", named=("tracer_provider",)),
    # -------------------------------------------------------------------------------------------- tests and tools
    Use("reflex.compiler.compiler:compile_contexts", TESTS + "storefront/reflex_ext/test_patches.py",
        "generates what is patched", arguments=2),
    Use("reflex.compiler.compiler:compile_document_root", TESTS + "storefront/reflex_ext/test_patches.py",
        "generates what is patched", arguments=1),
    Use("reflex.utils.frontend_skeleton:_compile_vite_config", TESTS + "storefront/reflex_ext/test_patches.py",
        "generates what is patched", arguments=1),
    Use("reflex.compiler.compiler:compile_page", TESTS + "english/pages.py", "writes a page's words", arguments=2),
    Use("reflex.compiler.compiler:compile_memo_components", TESTS + "english/pages.py", "writes a page's words",
        arguments=1),
    Use("reflex_base.components.memo:MEMOS", TESTS + "english/pages.py", "writes a page's words"),
    Use("reflex.state:state_snapshot_hashes", TESTS + "storefront/pages/test_account.py",
        "makes what a document sends first", arguments=1),
    Use("reflex.state:BaseState._is_client_storage", TESTS + "storefront/reflex_ext/test_on_demand_states.py",
        "tells what a browser stores", arguments=1),
    Use("reflex_base.utils.format:format_event_handler", TESTS + "storefront/reflex_ext/test_state_loss.py",
        "names an event", arguments=1),
    Use("reflex.istate.manager.redis:StateManagerRedis", TESTS + "storefront/reflex_ext/test_on_demand_states.py",
        "stores states in Redis"),
    Use("reflex.state:BaseState", "tools/mypy_reflex.py", "types the fields of states"),
    Use("reflex_base.vars.base:Field", "tools/mypy_reflex.py", "types the fields of states"),
    Use("reflex_base.vars.base:Var", "tools/mypy_reflex.py", "types the fields of views"),
    Use("reflex_base.vars.object:ObjectVar", "tools/mypy_reflex.py", "types the fields of states and views"),
    Use("reflex_base.vars.sequence:ArrayVar", "tools/mypy_reflex.py", "types the fields of states and views"),
    Use("reflex_base.vars.sequence:StringVar", "tools/mypy_reflex.py", "types the fields of views"),
    Use("reflex_base.vars.number:NumberVar", "tools/mypy_reflex.py", "types the fields of views"),
    Use("reflex_base.vars.number:BooleanVar", "tools/mypy_reflex.py", "types the fields of views"),
)  # fmt: skip
SWITCHES = {
    "REFLEX_USE_NPM": SERVER + "toolchain.py",
    "REFLEX_CHECK_LATEST_VERSION": SERVER + "toolchain.py",
    "REFLEX_DIR": SERVER + "toolchain.py",
    "REFLEX_ENV_MODE": SERVER + "toolchain.py",
    "__REFLEX_SKIP_COMPILE": SERVER + "toolchain.py",
    "__REFLEX_MOUNT_FRONTEND_COMPILED_APP": SERVER + "mount.py",
    "REFLEX_HOT_RELOAD_OVERRIDE_PATHS": SERVER + "dev.py",
}
"""Environment variables of Reflex, and the module that sets each. A leading underscore marks internal ones."""
TEXTS = {
    "utils/state.js": (
        "app.initialEvents()",  # reconnecting.js starts with them
        "app.state_name",  # reconnecting.js finds `is_hydrated` there
        "event_actions",  # presses.js finds `press` there
        "bootAuth",  # the first frame, to which presses are added
    ),
    "utils/context-registry.js": (
        "export const app = {}",
        "export const eventLoop = {",  # presses.js repeats events with its `addEvents`
        "export function registerApp(values)",
        "Object.assign(app, values)",  # initial_state_patch registers the store, which office/shell.jsx reads
    ),
}
"""Texts in Reflex's scripts that our scripts depend on, by file. Patched texts are in `patches.py`."""
IN_CONTEXT = (
    "initialState,",
    "state_name,",
    "initialEvents,",
    "stateSchema,",
    "dispatchers,",
    "mergeInitialState,",
)
"""Texts that our scripts depend on in the generated `utils/context.jsx`."""


def name_of(use: Use) -> str:
    """Return the name of the test."""
    return use.name


def resolve(use: Use) -> Any:
    """Return the named object, or fail with the missing name."""
    module, _, path = use.name.partition(":")
    try:
        found = importlib.import_module(module)
    except ImportError:
        pytest.fail(f"the module {module} has moved. {message_for(use)}", pytrace=False)
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            pytest.fail(f"{use.name}: there is no `{part}`. {message_for(use)}", pytrace=False)
    return found


def message_for(use: Use) -> str:
    """Return the failure message: which module relies on the name, and for which purpose."""
    return f"{use.by} relies on it: it {use.why}. See docs/reflex.md."


def names_in(made: Any) -> set[str]:
    """Return the fields of a dataclass or named type, the keys of annotations, or the slots of a class."""
    if isinstance(made, dict):
        return set(made)
    own = {one.name for one in fields(made)} if is_dataclass(made) else set()
    for base in getattr(made, "__mro__", ()):
        own |= set(vars(base)) | set(getattr(base, "__annotations__", {}))
    return own


def looked_up_in(function: Any) -> set[str]:
    """Return the names that a function and its inner functions look up."""
    codes, names = [inspect.unwrap(function).__code__], set()
    while codes:
        code = codes.pop()
        names |= set(code.co_names)
        codes += [one for one in code.co_consts if inspect.iscode(one)]
    return names


@pytest.mark.parametrize("use", USES, ids=name_of)
def test_name_of_reflex_that_the_shop_uses_exists(use: Use) -> None:
    resolve(use)


@pytest.mark.parametrize("use", [use for use in USES if use.value is not None], ids=name_of)
def test_constant_of_reflex_has_the_expected_value(use: Use) -> None:
    assert resolve(use) == use.value, message_for(use)


@pytest.mark.parametrize("use", [use for use in USES if use.overridden], ids=name_of)
def test_method_of_reflex_that_the_shop_overrides_has_the_expected_parameters(use: Use) -> None:
    assert tuple(inspect.signature(resolve(use)).parameters) == use.overridden, message_for(use)


@pytest.mark.parametrize(
    "use", [use for use in USES if use.arguments or use.named or use.is_called], ids=name_of
)
def test_function_of_reflex_that_the_shop_calls_accepts_our_arguments(use: Use) -> None:
    try:
        inspect.signature(resolve(use)).bind(*range(use.arguments), **dict.fromkeys(use.named))
    except TypeError as error:
        pytest.fail(f"{use.name} takes other arguments: {error}. {message_for(use)}", pytrace=False)


@pytest.mark.parametrize("use", [use for use in USES if use.fields], ids=name_of)
def test_class_of_reflex_that_the_shop_uses_has_the_expected_fields(use: Use) -> None:
    missing = set(use.fields) - names_in(resolve(use))
    assert not missing, f"{use.name} has no {', '.join(sorted(missing))}. {message_for(use)}"


@pytest.mark.parametrize("use", [use for use in USES if use.looked_up], ids=name_of)
def test_reflex_still_uses_the_names_that_the_shop_overrides(use: Use) -> None:
    missing = set(use.looked_up) - looked_up_in(resolve(use))
    assert not missing, f"{use.name} does not use {', '.join(sorted(missing))} any more. {message_for(use)}"


@pytest.mark.parametrize("name", SWITCHES)
def test_environment_switch_of_reflex_that_the_shop_sets_exists(name: str) -> None:
    from reflex_base.environment import environment

    switch = getattr(environment, name.removeprefix("__"), None)
    assert switch is not None, f"Reflex has no switch {name} any more: {SWITCHES[name]} sets it"
    assert switch.name == name
    assert all(callable(getattr(switch, method)) for method in ("get", "set"))


@pytest.mark.parametrize(("file", "text"), [(file, text) for file, texts in TEXTS.items() for text in texts])
def test_template_script_of_reflex_contains_the_expected_text(file: str, text: str) -> None:
    from reflex_base.constants import Templates

    script = Path(Templates.Dirs.WEB_TEMPLATE) / file
    assert script.is_file(), f"Reflex has no {file} any more"
    assert text in script.read_text("utf-8"), (
        f"{file} has no `{text}` any more: a script in assets/scripts reads it"
    )


@pytest.mark.parametrize("text", IN_CONTEXT)
def test_context_generated_by_reflex_contains_the_expected_text(text: str) -> None:
    from reflex.compiler.compiler import compile_contexts

    assert text in compile_contexts(rx.State, None)[1], f"utils/context.jsx has no `{text}` any more"


# ------------------------------------------------------------------------------------------------ behaviour


def test_state_update_names_the_full_state_and_marks_its_variables() -> None:
    """Check names in an update: `assets/scripts/reconnecting.js` waits for `is_hydrated`, and tests use state names."""
    name = "reflex___state____state"
    assert rx.State.get_full_name() == name
    root = rx.State(init_substates=False, _reflex_internal_init=True)  # type: ignore[call-arg]
    assert root.dict()[name]["is_hydrated_rx_state_"] is False


def test_misspelt_field_of_a_view_is_refused_when_the_page_is_built() -> None:
    """Check that the variable of a nested, optional dataclass has only the names of its fields."""

    @dataclass
    class RowView:
        title: str

    @dataclass
    class ListView:
        first: RowView | None

    known: Any = rx.Var("content", _var_type=ListView | None).guess_type()
    assert str(known.first.title) == 'content?.["first"]?.["title"]'
    with pytest.raises(VarAttributeError):
        _ = known.first.titel


def test_substates_of_a_reflex_state_can_be_replaced_by_another_dictionary() -> None:
    """Check `substates`, which `on_demand_states.py` replaces with a dictionary that creates states on demand."""

    class OwnDictionary(dict[str, Any]):
        pass

    root = rx.State(init_substates=False, _reflex_internal_init=True)  # type: ignore[call-arg]
    assert root.substates == {}
    object.__setattr__(root, "substates", OwnDictionary())
    assert type(root.substates) is OwnDictionary


def test_reflex_marks_an_overriding_method_so_that_it_is_no_event() -> None:
    """Check the mark that `on_demand_states.py` sets: clients can call an unmarked public method as an event."""
    from reflex.state import _override_base_method

    assert _override_base_method(lambda: None).__override_base_method__  # type: ignore[attr-defined]


def test_router_data_is_built_from_browser_and_socket_data() -> None:
    """Check the router data, which `detached_states.py` builds, and `session_cookie.py` and `state/session.py` read."""
    from reflex.istate.data import RouterData

    headers = {"cookie": "a=b", "x-forwarded-for": "192.0.2.1"}
    data = {
        "pathname": "/cart",
        "asPath": "/cart?x=1",
        "headers": headers,
        "ip": "192.0.2.2",
        "token": "page",
    }
    router = RouterData.from_router_data(data)
    assert (router.url.path, router.url.query) == ("/cart", "x=1")
    assert router.headers.cookie == "a=b"
    assert router.headers.raw_headers["x-forwarded-for"] == "192.0.2.1"
    assert (router.session.client_ip, router.session.client_token) == ("192.0.2.2", "page")


async def _sent(name: str) -> list[str]:
    from reflex_base.event import Event
    from reflex_base.event.processor.base_state_processor import _route_events

    sent: list[str] = []

    async def emit(*events: Event) -> None:
        sent.extend(f"browser {event.name}" for event in events)

    async def enqueue(*events: Event) -> None:
        sent.extend(f"server {event.name}" for event in events)

    await _route_events(SimpleNamespace(emit_event=emit, enqueue=enqueue), [Event(name=name)])  # type: ignore[arg-type]
    return sent


def test_event_whose_name_begins_with_an_underscore_is_sent_to_the_browser() -> None:
    """Check the rule by which `_start_over` and `_confirmed` are sent to `reconnecting.js` and `presses.js`."""
    assert asyncio.run(_sent("_confirmed")) == ["browser _confirmed"]
    assert asyncio.run(_sent("state.add")) == ["server state.add"]


def test_websocket_calls_our_origin_check() -> None:
    """Check that the server's list of origins can be replaced by a function, as `socket_origin.py` does."""
    from engineio import AsyncServer as EngineServer
    from socketio import AsyncServer

    server = AsyncServer(async_mode="asgi", cors_allowed_origins=[])
    assert isinstance(server.eio, EngineServer)
    asked: list[tuple[str, dict[str, str]]] = []

    def is_allowed(origin: str, environ: dict[str, str]) -> bool:
        asked.append((origin, environ))
        return True

    server.eio.cors_allowed_origins = is_allowed
    environ = {"HTTP_ORIGIN": "https://shop.example", "HTTP_HOST": "shop.example"}
    assert server.eio._cors_allowed_origins(environ) == ["https://shop.example"]
    assert asked == [("https://shop.example", environ)]


def test_socket_receives_its_asgi_scope() -> None:
    """Check that `on_connect` receives the scope in which `socket_guard.py` finds the websocket's `Socket`."""
    from engineio.async_drivers import asgi

    names = [const for const in asgi.translate_request.__code__.co_consts if isinstance(const, str | tuple)]
    assert any("asgi.scope" in name for name in names), "environ has no `asgi.scope` any more"


def test_socketio_packet_is_decoded_into_the_fields_that_the_shop_checks() -> None:
    """Check the fields by which `socket_frames.py` refuses packets that no page sends."""
    from socketio.packet import Packet

    packet = Packet(encoded_packet='2/_event,["event",{"name":"x"}]')
    assert (packet.packet_type, packet.namespace, packet.id) == (2, "/_event", None)
    assert packet.data == ["event", {"name": "x"}]
