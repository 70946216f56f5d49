"""No exception leaves the library: each becomes a status and a message."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.conftest import HEADER_FOLDERS, ROOT, require_tool

EXPECTED = """\
bad_alloc: 2, out of memory
length_error: 2, out of memory
system_error: 4, a failure within the library: lock: Resource temporarily unavailable
number: 4, a failure within the library
status: 3, no such build
loop: 4, a failure within the library: task 0
still running: 0; fewer than all begun: 1
loop: 4, a failure within the library: task 1
still running: 0; fewer than all begun: 1
loop: 4, a failure within the library: task 50
still running: 0; fewer than all begun: 1
loop: 0
begun: 200
"""


def test_every_exception_is_a_status(tmp_path: Path) -> None:
    kernels, program = ROOT / "kernels", tmp_path / "exceptions"
    names = ("api.cpp", "cpu.cpp", "interrupt.cpp", "memory/copy.cpp", "thread_pool.cpp")
    sources = [kernels / "common" / name for name in names]
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-pthread", '-DGKL_SHIM_VERSION=""']
    include = [f"-I{folder}" for folder in (kernels, *HEADER_FOLDERS)]
    test = Path(__file__).with_name("exceptions.cpp")
    command = [require_tool("c++"), *flags, *include, test, *sources, "-o", program]
    subprocess.run(command, check=True)
    done = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == EXPECTED
