"""``gkl-shim validate`` on real reads; tests/cli/test_cli_validate.py has the rest."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from benchmarks import validate_ours
from gkl_shim.gatk import data
from tests.cli.shim_command import run
from tests.conftest import shared_data
from tests.gatk.conftest import QUICK

pytestmark = pytest.mark.gatk


def test_real_reads_with_their_truth(classpath: str, chr22: data.Sample, tmp_path: Path) -> None:
    """GATK's own tools take all arguments, and GVCFs get their final calls."""
    giab = shared_data("na12878_chr22", "NA12878.chr22.tiny.giab.vcf")
    truth = validate_ours.giab_truth(giab, chr22, classpath)
    (tmp_path / "c.bed").write_text("q\t0\t4000\n")
    done = run(
        tmp_path, "validate", "-R", chr22.reference, "-I", chr22.reads, "-L", "q:1-6000",
        "--truth", truth, "--confident", "c.bed", "-c", classpath, "-o", "out", "--mode", "gvcf",
        "--java-options", shlex.join(["-Xmx2g", *QUICK]), env={"JAVA_TOOL_OPTIONS": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    mode = json.loads((tmp_path / "out" / "validation.json").read_text())["modes"]["gvcf"]
    assert mode["records"] > 1000 and mode["calls_that_differ"] == 0
    assert mode["final_calls"]["records"] > 5
    assert "PairHMM" in mode["kernels"]["gkl-shim"]
    # The truth has five SNPs in the first 4,000 bases.
    score = mode["scores"]["gkl-shim"]["SNP"]
    assert score["true_positives"] + score["false_negatives"] == 5
    assert mode["beside_stock"]["gkl-shim"]["SNP"]["discordance"] == 0
