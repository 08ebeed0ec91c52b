import signal
import socket
import subprocess
import sys

import pytest

from backend.core.errors import CannotStart
from storefront.server.build import ROOT
from storefront.server.processes import ADDRESS, hold_port
from tests.ports import find_free_port


def test_second_shop_on_a_port_is_refused() -> None:
    port = find_free_port()
    held = hold_port(port)
    assert held is not None
    with held, pytest.raises(CannotStart, match=f"port {port} is taken"):
        hold_port(port)
    again = hold_port(port)
    assert again is not None
    again.close()


def test_port_of_another_program_is_refused() -> None:
    with socket.create_server((ADDRESS, 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(CannotStart, match=f"port {port} is taken"):
            hold_port(port)


STARTING_WORKER = """
import sys, time
from storefront.server.granian_server import make_server
from storefront.server.processes import ServerSettings

def load():
    print("starting", flush=True)
    time.sleep(60)

settings = ServerSettings(port=int(sys.argv[1]), workers=1, log_format="text", end_timeout_s=30)
make_server(settings).serve(target_loader=load, wrap_loader=False)
"""


def test_main_process_ends_immediately_while_a_worker_starts() -> None:
    command = [sys.executable, "-c", STARTING_WORKER, str(find_free_port())]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as main:
        assert main.stdout is not None
        assert main.stdout.readline() == "starting\n"
        main.send_signal(signal.SIGTERM)
        try:
            assert main.wait(timeout=15) == 0
        finally:
            main.kill()
