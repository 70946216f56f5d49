"""gkl-shim's assembly graphs are GATK's: each graph of a run is made by both and compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from gkl_shim.gatk import data
from tests.gatk.conftest import Gatk, command, our_agent
from tests.gatk.regions.test_region_threads import records

pytestmark = pytest.mark.gatk

CALLS = "org/gklshim/gatk/assembly/GraphCreation,createGraph,org/gklshim/AssemblyCheckCalls"
SMALL_REGIONS = "-L tandem:1250-1550 --max-assembly-region-size 90 --min-assembly-region-size 25"
RUNS = (
    ("HaplotypeCaller", "genome", ""),
    ("HaplotypeCaller", "chr22", "--kmer-size 5 --min-pruning 1"),
    ("HaplotypeCaller", "chr20", "--allow-non-unique-kmers-in-ref --min-base-quality-score 20"),
    ("HaplotypeCaller", "deep", "--max-reads-per-alignment-start 0"),
    ("HaplotypeCaller", "chr20", "--adaptive-pruning"),
    ("Mutect2", "chr22", "--kmer-size 5 --pruning-lod-threshold -20"),
    ("Mutect2", "chr22", "--max-unpruned-variants 0"),
    ("Mutect2", "chr22", "--mitochondria-mode --kmer-size 5 --pruning-lod-threshold -20"),
    ("HaplotypeCaller", "chr22", "--recover-all-dangling-branches --kmer-size 5 --min-pruning 1"),
    ("HaplotypeCaller", "genome", "--recover-all-dangling-branches --min-pruning 1"),
    ("Mutect2", "tandem", f"--mitochondria-mode {SMALL_REGIONS}"),
)


@pytest.mark.parametrize("names", [("chr20", "chr22", "tandem"), ("deep", "genome")], ids="+".join)
def test_every_graph_has_gatks_vertices_and_edges_in_gatks_order(
    checks: Path,
    in_one_jvm: Callable[..., str],
    request: pytest.FixtureRequest,
    names: tuple[str, ...],
    tmp_path: Path,
) -> None:
    """Two of the samples need the shared data."""
    samples = {name: request.getfixturevalue(name) for name in names}
    runs = [run for run in RUNS if run[1] in samples]
    commands = [
        command(tool, samples[sample], tmp_path / "out.vcf", *options.split())
        for tool, sample, options in runs
    ]
    log = in_one_jvm(commands, our_agent(), f"-javaagent:{checks}={CALLS}")
    assert "different: " not in log, log[-10000:]
    *parts, _ = log.split(" done. Elapsed time: ")
    for run, part in zip(runs, parts, strict=True):
        graphs = Counter(re.findall(r"^graph: (.*)$", part, re.M))
        _check_counts(run, graphs)


def _check_counts(run: tuple[str, str, str], graphs: Counter[str]) -> None:
    """Check that a run compares graphs that are ours, or GATK's where only GATK can make them."""
    *_, options = run
    maker, other = "ours", "GATK's"
    if "--max-unpruned-variants 0" in options:
        maker, other = other, maker
    assert graphs[f"{maker} variation"] > 0, (run, graphs)
    assert graphs[f"{other} variation"] == 0, (run, graphs)
    # Short k-mers are repeated in the reference.
    if "--kmer-size 5" in options:
        assert graphs["ours refused"] > 0, (run, graphs)
    if "--allow-non-unique-kmers-in-ref" in options:
        assert graphs["ours refused"] == 0, (run, graphs)


def test_kmers_without_letters_are_left_to_gatk(gatk: Gatk, tandem: data.Sample) -> None:
    """It refuses such a graph, and goes on with other sizes."""
    stock = gatk("HaplotypeCaller", tandem, "--kmer-size", "0")
    ours = gatk("HaplotypeCaller", tandem, "--kmer-size", "0", swap="agent")
    assert records(ours.vcf) == records(stock.vcf)
