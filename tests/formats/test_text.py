"""Text is read and written through the C interface, with the library of each compiler."""

from __future__ import annotations

import os
import random
import struct
import subprocess
from pathlib import Path

import pytest

import gkl_shim
from tests.conftest import library_for, require_tool

SOURCE = Path(__file__).parent / "text.c"


@pytest.fixture(scope="module", params=["installed", "jar", "aarch64"])
def program(request, compile_c, tmp_path_factory) -> list[str]:
    """A C program that reads and writes texts; the one for aarch64 is emulated."""
    if request.param == "aarch64":
        compiler, emulator, library = map(
            request.getfixturevalue,
            ("aarch64_compiler", "aarch64_emulator", "aarch64_library"),
        )
        return [*emulator, str(compile_c(compiler, SOURCE, library))]
    library = gkl_shim.paths.library()
    if request.param == "jar":
        library = library_for(os.uname().machine, tmp_path_factory.mktemp("jar"))
    return [str(compile_c(require_tool("cc"), SOURCE, library))]


@pytest.mark.parametrize("threads", [1, 2])
def test_text_is_parsed_and_written_from_c(program, region_file, tmp_path, threads):
    """Parsed text is written back unchanged, and numbers are written as Python writes them."""
    rnd = random.Random(threads)
    values = [0.0, -0.0, -1.5, 1e-5, 1e16, 1e15, 5e-324, -2.2250738585072014e-308]
    for _ in range(5000):
        values.append(struct.unpack("d", rnd.randbytes(8))[0])
        values.append(-rnd.random() * 10.0 ** rnd.randint(-6, 17))
    numbers = tmp_path / "numbers"
    numbers.write_bytes(struct.pack(f"{len(values)}d", *values))
    command = [*program, region_file, numbers, str(threads)]
    done = subprocess.run(command, check=True, capture_output=True)
    assert done.stdout.startswith(region_file.read_bytes())
    lines = done.stdout[region_file.stat().st_size :].decode("ascii").splitlines()
    assert lines == [repr(value) for value in values]
