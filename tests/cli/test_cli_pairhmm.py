"""``gkl-shim pairhmm``."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from gkl_shim import _native
from gkl_shim.bench.regions import regions as generated_regions
from gkl_shim.pairhmm import PairHMM
from tests.cli.shim_command import REGIONS, one_error, run


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
    assert run(tmp_path, "pairhmm", "-", input=REGIONS).stdout == want
    assert run(tmp_path, "pairhmm", "-", input=gzip.compress(REGIONS, mtime=0)).stdout == want
    assert (
        run(tmp_path, "pairhmm", "-", "-o", "-", input=REGIONS.replace(b"\n", b"\r\n")).stdout
        == want
    )
    assert run(tmp_path, "pairhmm", path, "--threads", "1", "--backend", "cpu").stdout == want
    for build in _native.builds():
        assert run(tmp_path, "pairhmm", path, "--build", build).stdout == want


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "x.in:1: no regions: the file is empty"),
        (b"1 1\nAC II II II ++\nAXG\n", "x.in:3: letter 'X' of the haplotype is none of ACGTN"),
        (b"1 2\nAC II II II ++\nACG\n", "x.in:3: the file ends within the region of line 1: 1 "
         "haplotypes are missing"),
        (b"\0\1\2" * 1000, "x.in:1: expected a region's first line, the number of its reads and of "
         "its haplotypes, got '\\x00\\x01\\x02"),
        (gzip.compress(b"1 1\nAC II II II ++\nACG\n", mtime=0)[:-5], "x.in:"),
    ],
)  # fmt: skip
def test_wrong_content_is_refused_and_keeps_the_output(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "x.in").write_bytes(content)
    (tmp_path / "out.txt").write_text("before")
    done = run(tmp_path, "pairhmm", "x.in", "-o", "out.txt")
    assert done.returncode == 1
    assert one_error(done).startswith(message)
    assert (tmp_path / "out.txt").read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 2


def test_errors_in_a_pipe_name_stdin(tmp_path: Path) -> None:
    done = run(tmp_path, "pairhmm", "-", input=b"1\n")
    assert done.returncode == 1
    assert one_error(done).startswith("stdin:1: expected a region's first line")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.in"], "absent.in: No such file or directory"),
        (["."], ".: Is a directory"),
        (["-", "--build", "sse9"], 'no build "sse9" here'),
        (["-", "-o", "absent/out.txt"], "absent/out.txt: No such file or directory"),
    ],
)
def test_a_failure_is_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = run(tmp_path, "pairhmm", *arguments, input=REGIONS)
    assert done.returncode == 1
    assert one_error(done).startswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--backend", "cpu", "--devices", "0"], "devices: the CPU backend has none"),
        (["--devices", "0,x"], "'0,x' is not a list of different device numbers such as 0,1"),
        (["--devices", "0,0"], "'0,0' is not a list of different device numbers such as 0,1"),
    ],
)
def test_wrong_devices_are_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = run(tmp_path, "pairhmm", "-", *arguments, input=REGIONS)
    assert done.returncode == 2
    assert message in done.stderr.decode()


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    done = run(tmp_path, "pairhmm", "-", "-o", "/dev/full", input=REGIONS)
    assert done.returncode == 1
    assert "No space left on device" in one_error(done)
