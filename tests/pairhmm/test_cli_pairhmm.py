"""``gkl-shim pairhmm``."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from gkl_shim.bench.regions import regions as generated_regions
from gkl_shim.common import _native
from gkl_shim.pairhmm import PairHMM
from tests.cli.shim_command import REGIONS, one_error, refused, run


@pytest.mark.parametrize("double", [False, True])
def test_written_values_are_read_back_exactly(tmp_path: Path, double: bool) -> None:
    path = tmp_path / "x.in"
    path.write_bytes(REGIONS)
    done = run(tmp_path, "pairhmm", path, "-o", "out.txt", *(["--double"] if double else []))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    with PairHMM(precision="double" if double else "single") as engine:
        want = engine.compute(generated_regions(5))
    text = (tmp_path / "out.txt").read_text()
    assert [float(line) for line in text.splitlines()] == want.tolist()
    assert text.endswith("\n")
    assert sorted(tmp_path.iterdir()) == [tmp_path / "out.txt", path]


def test_every_input_and_output_gives_the_same_values(tmp_path: Path) -> None:
    path = tmp_path / "x.in"
    path.write_bytes(REGIONS)
    want = run(tmp_path, "pairhmm", path).stdout
    assert want
    one = ("--threads", "1", "--backend", "cpu")
    assert run(tmp_path, "pairhmm", "-", *one, input=gzip.compress(REGIONS)).stdout == want
    for build in _native.builds():
        assert run(tmp_path, "pairhmm", path, "--build", build).stdout == want


def test_wrong_content_is_refused_and_keeps_the_output(tmp_path: Path) -> None:
    (tmp_path / "x.in").write_bytes(REGIONS + b"1 1\nAC II II II ++\nAXG\n")
    (tmp_path / "out.txt").write_text("before")
    done = run(tmp_path, "pairhmm", "x.in", "-o", "out.txt")
    assert done.returncode == 1
    line = REGIONS.count(b"\n") + 3
    assert one_error(done) == f"x.in:{line}: letter 'X' of the haplotype is none of ACGTN"
    assert (tmp_path / "out.txt").read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 2


def test_errors_in_a_pipe_name_stdin(tmp_path: Path) -> None:
    done = run(tmp_path, "pairhmm", "-", input=b"1\n")
    assert done.returncode == 1
    assert one_error(done).startswith("stdin:1: expected a region's first line")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--backend", "cpu", "--devices", "0"], "devices: the backend cpu uses no CUDA devices; "),
        (["--devices", "0,x"], "'0,x' is not a list of different device numbers such as 0,1"),
        (["--devices", "0,0"], "'0,0' is not a list of different device numbers such as 0,1"),
    ],
)
def test_wrong_devices_are_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "x.in").write_bytes(REGIONS)
    code, told = refused(tmp_path, "pairhmm", "x.in", *arguments)
    assert code == 2
    assert message in told
