"""Commands with ``--backend cuda`` do other work while the driver opens the devices."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gkl_shim.cli import cli
from gkl_shim.cli.common import _early
from gkl_shim.cuda import devices, driver
from gkl_shim.errors import BackendUnavailable
from gkl_shim.formats.input import Input
from gkl_shim.pairhmm import _stream
from tests.cli.shim_command import REGIONS, refused, run

START = """
import sys
from gkl_shim.cuda import driver

def wake(devices):
    print(devices, "numpy" in sys.modules, flush=True)
    raise SystemExit(0)

driver.wake = wake
from gkl_shim.cli import main
main()
"""


def test_contexts_are_created_before_numpy_is_imported(tmp_path: Path) -> None:
    command = [sys.executable, "-c", START, "pairhmm", "x.in", "--backend=cuda", "--devices", "2,0"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "[2, 0] False\n"


@pytest.mark.parametrize(
    ("line", "woken"),
    [
        ("--backend cuda x.in", [None]),
        ("-maxmatch -l 20 -bc ref.fa query.fa --backend=cuda --devices 1", [[1]]),
        ("--backend cuda --backend cpu x.in", []),
        ("--backend auto --devices 0 x.in", []),
        ("x.in -o --backend", []),
        ("--backend tpu x.in", []),
        ("--backend cuda --devices 0,x x.in", []),
        ("x.in -- --backend cuda", []),
    ],
)
def test_which_command_lines_create_contexts(
    monkeypatch: pytest.MonkeyPatch, line: str, woken: list[list[int] | None]
) -> None:
    found: list[object] = []
    monkeypatch.setattr(driver, "wake", found.append)
    _early.wake_devices(line.split())
    assert found == woken


@pytest.mark.parametrize("command", ["pairhmm", "prefilter -e 2"])
def test_the_input_is_read_while_devices_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """If they do not open, the command ends, although the input never comes."""
    begun = threading.Event()
    read = Input.readinto

    def readinto(self: Input, buffer: Any) -> int:
        begun.set()
        return read(self, buffer)

    def chosen(numbers: object) -> None:
        assert begun.wait(20), "nobody reads the input"
        raise BackendUnavailable("there is no CUDA device")

    monkeypatch.setattr(Input, "readinto", readinto)
    monkeypatch.setattr(devices, "chosen", chosen)
    source, end = os.pipe()
    with os.fdopen(source), os.fdopen(end, "wb") as writer:
        patience = threading.Timer(20, writer.close)
        patience.start()
        arguments = [*command.split(), f"/dev/fd/{source}", "--backend", "cuda", "-o", "out"]
        assert refused(tmp_path, *arguments) == (1, "there is no CUDA device")
        assert not writer.closed
        patience.cancel()
    assert list(tmp_path.iterdir()) == []
    for thread in threading.enumerate():
        if thread.name.startswith("gkl-shim_"):
            thread.join(20)
            assert not thread.is_alive()


def test_values_of_several_calls_are_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_gpus: Callable[..., Any]
) -> None:
    monkeypatch.setattr(_stream, "_DEVICE_CALL_BASES", 1)
    (tmp_path / "x.in").write_bytes(REGIONS)
    want = run(tmp_path, "pairhmm", "x.in", "--backend", "cpu").stdout
    driver = fake_gpus(kernels="pairhmm")
    done = CliRunner().invoke(cli, ["pairhmm", str(tmp_path / "x.in"), "--backend", "cuda"])
    assert done.stdout_bytes == want
    assert driver.launched
