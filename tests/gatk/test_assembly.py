"""gkl-shim's assembly graphs are GATK's: each graph of a run is made by both and compared."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gkl_shim.gatk import data, run, swaps
from tests.gatk.conftest import QUICK, check_agent

pytestmark = pytest.mark.gatk


CALLS = "org/gklshim/gatk/assembly/GraphCreation,createGraph,org/gklshim/AssemblyCheckCalls"


@pytest.fixture(scope="module")
def check(classpath: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Options of a JVM in which each graph is compared with GATK's."""
    jar = check_agent(tmp_path_factory.mktemp("assembly"), classpath, "AssemblyCheckCalls")
    return f"-javaagent:{jar}={CALLS}"


@pytest.mark.parametrize(
    ("tool", "sample", "arguments"),
    [
        ("HaplotypeCaller", "genome", ()),
        ("HaplotypeCaller", "chr22", ("--kmer-size", "5", "--min-pruning", "1")),
        (
            "HaplotypeCaller",
            "chr20",
            ("--allow-non-unique-kmers-in-ref", "--min-base-quality-score", "20"),
        ),
        ("HaplotypeCaller", "deep", ("--max-reads-per-alignment-start", "0")),
        ("HaplotypeCaller", "chr20", ("--adaptive-pruning",)),
        ("Mutect2", "genome", ()),
        ("Mutect2", "chr22", ("--kmer-size", "5", "--pruning-lod-threshold", "-20")),
        ("Mutect2", "deep", ("--max-unpruned-variants", "3")),
    ],
    indirect=["sample"],
)
def test_every_graph_has_gatks_vertices_and_edges_in_gatks_order(
    check: str,
    classpath: str,
    tool: str,
    sample: data.Sample,
    arguments: tuple[str, ...],
    tmp_path: Path,
) -> None:
    command = [tool, "-R", str(sample.reference), "-I", str(sample.reads)]
    done = run.gatk(
        [*command, "-O", str(tmp_path / "out.vcf"), *arguments],
        classpath,
        swaps.agent(),
        java_options=(check, *QUICK),
    )
    log = done.log.decode()
    assert done.returncode == 0, log[-3000:]
    found = re.search(
        r"^compared (\d+) graphs, (\d+) with variation, (\d+) refused, (\d+) different$", log, re.M
    )
    assert found, log[-3000:]
    graphs, variation, _, different = map(int, found.groups())
    assert different == 0, log[-10000:]
    assert graphs > 0 and variation > 0
