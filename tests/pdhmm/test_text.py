"""Regions with flags in text, and the command that computes them."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from gkl_shim.errors import FormatError
from gkl_shim.formats.pdhmm_in import Reader, write
from gkl_shim.pdhmm import PDHMM, Batch
from tests.cli.shim_command import run
from tests.conftest import DATA
from tests.pdhmm.regions import Region, batch, regions

RECORDED = DATA / "chr22_dragen.pdhmm.in"
READ = b"AC II II II II\n"


def read(text: bytes) -> list[Batch]:
    with Reader(io.BytesIO(text), "regions") as reader:
        return list(reader)


def fields(one: Batch) -> tuple[list[object], bytes]:
    *arrays, tracks, offsets, bases = one.unflagged_arrays
    plain = [*map(bytes, tracks), bytes(bases), *map(list, [*arrays, offsets])]
    return plain, one.flags.tobytes()


@settings(max_examples=50, deadline=None)
@given(regions())
def test_what_is_written_is_read(region: Region) -> None:
    text = io.BytesIO()
    write(text, batch(region))
    (found,) = read(text.getvalue())
    assert fields(found) == fields(batch(region))


def test_a_recording_is_written_as_it_was(tmp_path: Path) -> None:
    text = io.BytesIO()
    batches = read(RECORDED.read_bytes())
    for each in batches:
        write(text, each)
    assert text.getvalue() == RECORDED.read_bytes()
    assert sum(map(len, batches)) == 4
    packed = tmp_path / "regions.in.gz"
    packed.write_bytes(gzip.compress(text.getvalue(), mtime=0))
    with Reader(packed) as reader:
        assert sum(each.pairs for each in reader) == 440


def test_blank_lines_and_spaces() -> None:
    (found,) = read(b"\n \n1 1\n" + READ + b"  AC\t0006 \n\n")
    assert found.flags.tolist() == [0, 6]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"1 999999999\n" + READ, "regions:2: the file ends within the region of line 1"),
        (b"999999999 1\n" + READ, "regions:2: the file ends within the region of line 1"),
        (
            b"1 2\n" + READ + b"AC 0000\n" + b"A" * 262_145 + b" " + b"00" * 262_145 + b"\n",
            "regions:4: the haplotype has 262145 letters; at most 262144 are allowed",
        ),
        (
            b"1 1\n" + b" ".join([b"A" * 32_769] * 5) + b"\nAC 0000\n",
            "regions:2: the read has 32769 bases; at most 32768 are allowed",
        ),
        (
            b"0 65\n" + (b"A" * 262_144 + b" " + b"00" * 262_144 + b"\n") * 65,
            "regions:66: with this one the region's haplotypes have more than 16777216 letters",
        ),
        # Nothing is done a billion times.
        (b"999999999 999999999\n" + READ, "regions:2: .*: 999999998 reads and 999999999 hap"),
    ],
)
def test_refused_text(text: bytes, message: str) -> None:
    """tests/formats/test_pairhmm_text.py compares other messages with those of a plain reader."""
    with pytest.raises(FormatError, match=message):
        read(text)


def test_the_command(tmp_path: Path) -> None:
    done = run(tmp_path, "pdhmm", RECORDED, "-o", "out", "--threads", "2")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    values = np.concatenate([PDHMM().compute(each) for each in read(RECORDED.read_bytes())])
    assert (tmp_path / "out").read_text().split() == [repr(float(value)) for value in values]
