"""The benchmark of whole runs: its samples, its settings, and its comparison of outputs."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

import click
import pytest

from benchmarks import gatk_run
from benchmarks.common import run_modes, run_samples
from benchmarks.common.simulated_samples import random_sequence
from gkl_shim.errors import FormatError
from tests.conftest import require_tool

SAM = "@HD\tVN:1.6\n@SQ\tSN:one\tLN:100\n@PG\tID:{}\n"
READ = "{}\t0\tone\t{}\t60\t4M\t*\t0\t0\tACGT\tIIII\n"


def test_a_human_like_sequence_goes_on_in_reverse() -> None:
    real = random_sequence(20_000, seed=1)
    made = run_samples.human_like(30_000, ["ACGT" + "N" * 10 + real.lower()])
    assert made == real + real[:-10_001:-1]
    with pytest.raises(FormatError, match=r"have 20,000 bases .* needs 20,001"):
        run_samples.human_like(40_001, [real])


def test_a_setting() -> None:
    parsed = gatk_run.parse("agent GKL_SHIM_THREADS=2 -Xmx2g -Da=b --max-alleles 3")
    assert parsed.swap.agent is not None
    assert parsed.environment == {"GKL_SHIM_THREADS": "2"}
    assert parsed.java_options == ("-Xmx2g", "-Da=b")
    assert parsed.arguments == ("--max-alleles", "3")
    with pytest.raises(click.BadParameter, match="must start with stock or agent"):
        gatk_run.parse("GKL_SHIM_THREADS=2")


HEADER = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
RECORD = "1\t{}\t.\tA\tC\t.\t.\t.\n"


def written(output: Path, positions: str = "", version: str = "1") -> Path:
    """Write a VCF that has a record at each of the positions, which are digits."""
    output.parent.mkdir()
    records = "".join(map(RECORD.format, positions))
    run_modes.vcf(output).write_text(f"##version={version}\n{HEADER}{records}")
    return output


def with_reads(output: Path, sam: str) -> None:
    require_tool("samtools")
    bam = output.with_name(output.name + ".bamout.bam")
    subprocess.run(["samtools", "view", "--no-PG", "-o", bam], input=sam.encode(), check=True)


def with_counts(output: Path, counts: bytes) -> None:
    with tarfile.open(output.with_name(output.name + ".f1r2.tar.gz"), "w:gz") as archive:
        entry = tarfile.TarInfo("tumor.alt.tsv")
        entry.size = len(counts)
        archive.addfile(entry, io.BytesIO(counts))


def test_outputs_differ_in_records_and_not_in_headers(tmp_path: Path) -> None:
    one = written(tmp_path / "a" / "out", "56")
    assert run_modes.difference(one, one) is None
    other = written(tmp_path / "b" / "out", "56", version="2")
    assert run_modes.difference(one, other) is None
    for number, positions in enumerate(("5", "65", "567", "")):
        changed = written(tmp_path / str(number) / "out", positions)
        assert run_modes.difference(one, changed) is not None
        assert run_modes.difference(changed, one) is not None


def test_outputs_differ_in_reads(tmp_path: Path) -> None:
    one, other = (written(tmp_path / name / "out", "") for name in "ab")
    with_reads(one, SAM.format("a") + READ.format("r", 1) + READ.format("s", 2))
    found = run_modes.difference(one, other)
    assert found == "only one of the runs wrote a file that ends in .bamout.bam"
    with_reads(other, SAM.format("b") + READ.format("r", 1) + READ.format("s", 2))
    assert run_modes.difference(one, other) is None
    with_reads(other, SAM.format("b") + READ.format("r", 1) + READ.format("s", 3))
    assert (run_modes.difference(one, other) or "").startswith(".bamout.bam, 2: ")


def test_outputs_differ_in_counts(tmp_path: Path) -> None:
    one, other = (written(tmp_path / name / "out", "") for name in "ab")
    with_counts(one, b"#tumor\n1\t2\n")
    with_counts(other, b"#tumor\n1\t2\n")
    assert run_modes.difference(one, other) is None
    with_counts(other, b"#tumor\n1\t3\n")
    assert run_modes.difference(one, other) == ".f1r2.tar.gz, 3: 1\t2\n | 1\t3\n"


def test_the_order_of_columns_of_counts_is_no_difference(tmp_path: Path) -> None:
    one, other = (written(tmp_path / name / "out", "") for name in "ab")
    with_counts(one, b"depth\tA\tB\n1\t2\t3\n")
    with_counts(other, b"depth\tB\tA\n1\t3\t2\n")
    assert run_modes.difference(one, other) is None
    with_counts(other, b"depth\tB\tA\n1\t2\t3\n")
    assert run_modes.difference(one, other) is not None
