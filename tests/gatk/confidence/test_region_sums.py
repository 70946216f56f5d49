"""gkl-shim's sums over the reads of a region are GATK's: both are made in one JVM and compared."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from gkl_shim import paths
from gkl_shim.gatk import data
from tests.conftest import require_tool
from tests.gatk import odd_reads
from tests.gatk.conftest import QUICK, command, our_agent

pytestmark = pytest.mark.gatk

PACKAGES = "org/gklshim/gatk"
CONFIDENCE_CHECK = f"{PACKAGES}/confidence/ConfidenceCheck"
RANK_SUMS_CHECK = f"{PACKAGES}/annotations/RankSumsCheck"
CHECKED_METHODS = (
    f"{PACKAGES}/confidence/ReferenceConfidence,calculateRefConfidence,{CONFIDENCE_CHECK}",
    f"{PACKAGES}/likelihoods/Likelihoods,marginalLikelihoodsDirect,"
    f"{PACKAGES}/likelihoods/LikelihoodsCheck",
    f"{PACKAGES}/likelihoods/PcrErrorModel,repeats,{PACKAGES}/likelihoods/PcrErrorModelCheck",
    f"{PACKAGES}/annotations/RankSums,permutationTest,{RANK_SUMS_CHECK}",
    f"org/broadinstitute/hellbender/utils/MannWhitneyU,getPermutations,{RANK_SUMS_CHECK}",
)
RUNS = (
    ("chr22", ""),
    ("chr22", "-ploidy 1 --indel-size-to-eliminate-in-ref-model 3"),
    ("odd", ""),
    ("odd", "-ploidy 5 --min-base-quality-score 20 --disable-read-filter GoodCigarReadFilter"),
    ("deep", "--max-reads-per-alignment-start 0 --indel-size-to-eliminate-in-ref-model 60"),
)


Run = tuple[data.Sample, str]
"""A sample, and more arguments."""


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> data.Sample:
    return odd_reads.write(tmp_path_factory.mktemp("odd"), 1, wild=False)


@pytest.fixture(scope="module", params=[("chr22", "odd"), ("deep",)], ids="+".join)
def runs(request: pytest.FixtureRequest) -> list[Run]:
    """The runs of some samples. The last sample needs the shared data."""
    return [
        (request.getfixturevalue(name), options) for name, options in RUNS if name in request.param
    ]


@pytest.fixture(scope="module")
def said(
    classpath: str, checks: Path, runs: list[Run], tmp_path_factory: pytest.TempPathFactory
) -> str:
    """What the checks say of all runs, which share a JVM."""
    folder = tmp_path_factory.mktemp("sums")
    java = [require_tool("java"), "-Xmx2g", *QUICK, our_agent()]
    java += [f"-javaagent:{checks}={method}" for method in CHECKED_METHODS]
    java += ["-cp", f"{classpath}:{paths.agent_jar()}", CONFIDENCE_CHECK.replace("/", ".")]
    for sample, options in runs:
        more = ("-ERC", "GVCF", *options.split(), "+")
        java += command("HaplotypeCaller", sample, folder / "out.g.vcf", *more)
    done = subprocess.run(java, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def test_confidence_in_the_reference(said: str, runs: list[Run]) -> None:
    found = re.findall(
        r"^compared (\d+) regions, (\d+) positions, (\d+) without reads, (\d+) different$",
        said,
        re.M,
    )
    counts = [tuple(map(int, line)) for line in found]
    assert len(counts) == len(runs), said[-3000:]
    assert counts[-1][3] == 0, said[:3000]
    # Each run has regions, and positions with reads.
    before = (0, 0, 0, 0)
    for count in counts:
        assert count[0] > before[0] and count[1] - before[1] > count[2] - before[2], counts
        before = count


def test_likelihoods_of_alleles_and_numbers_of_haplotypes(said: str) -> None:
    found = re.search(
        r"^likelihoods: (\d+) calls, (\d+) merged, (\d+) different, numbers (\w+)$", said, re.M
    )
    assert found, said[-3000:]
    assert int(found[1]) >= int(found[2]) > 0
    assert found[3] == "0" and found[4] == "equal"


def test_repeats_in_reads_and_the_qualities_that_they_limit(said: str) -> None:
    found = re.search(
        r"^repeats: (\d+) bases, (\d+) repeated, (\d+) different, "
        r"(\d+) random reads, (\d+) changed, (\d+) different$",
        said,
        re.M,
    )
    assert found, said[-3000:]
    bases, repeated, different, reads, changed, wrong = map(int, found.groups())
    assert bases > repeated > 1000 and different == 0
    assert reads > changed > 500 and wrong == 0


def test_rank_sums(said: str, runs: list[Run]) -> None:
    """The runs enumerate no permutations. Only GATK's own test does, to which ours is compared."""
    if runs[0][0].name == "deep":
        # So many reads are at each site that GATK's approximation is used.
        assert "rank sums" not in said
        return
    found = re.search(
        r"^rank sums: (\d+) tests, (\d+) different, (\d+) enumerations, "
        r"random: (\d+) results, (\d+) errors, (\d+) different$",
        said,
        re.M,
    )
    assert found, said[-3000:]
    tests, different, enumerations, results, errors, wrong = map(int, found.groups())
    assert tests > 0 and (different, enumerations) == (0, 0)
    assert results > 100 and errors > 10 and wrong == 0
