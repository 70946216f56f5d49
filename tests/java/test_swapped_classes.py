"""The classes that replace GKL's, called as GATK calls them, with every swap."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import missing, require_tool
from tests.java import regions
from tests.java.conftest import GKL_VERSIONS, SWAPS, Jvm, Outcome, skip_unless_served

# The accuracy that the C interface promises.
SINGLE, DOUBLE = 1e-5, 1e-8
# Below this value, GKL's double precision is zero.
RANGE = -614

each_swap = pytest.mark.parametrize("swap", SWAPS)


@pytest.fixture(scope="module")
def expected(sample: list[regions.Region]) -> list[list[float]]:
    likelihoods = [regions.likelihoods(region) for region in sample]
    assert any(value < RANGE for region in likelihoods for value in region)
    return likelihoods


def check(computed: list[list[float]], expected: list[list[float]], tolerance: float) -> None:
    assert [len(region) for region in computed] == [len(region) for region in expected]
    for number, (ours, truth) in enumerate(zip(computed, expected, strict=True)):
        for pair, (value, right) in enumerate(zip(ours, truth, strict=True)):
            if right < RANGE:
                assert value == -math.inf, f"region {number}, pair {pair}: {value} for {right}"
            else:
                assert value == pytest.approx(right, abs=tolerance), f"region {number}, {pair}"


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Outcome]:
    """Run several scenarios with a swap, all in one JVM that checks JNI."""

    @cache
    def run(swap: str) -> Outcome:
        jvm = Jvm(tmp_path_factory.mktemp(swap))
        some = [regions.typical(seed, reads=40) for seed in range(3)]
        scenarios: dict[str, Any] = {
            "uninitialized": some[0],
            "listing": (some[0], str(jvm.temporary)),
            "errors": regions.typical(2),
            "one_for_all": some,
        }
        # These need two precisions, and Intel's classes have only one in a process.
        if swap != "library-path":
            large = [regions.typical(seed, reads=30, haplotypes=8, length=120) for seed in range(6)]
            scenarios |= {"many_threads": large, "done": regions.typical(3)}
            scenarios["surface"] = regions.typical(4)
        return jvm("several", scenarios, swap=swap, options=["-Xcheck:jni"])

    return run


# Each swap has both versions of GKL, and both precisions.
@pytest.mark.parametrize(
    ("swap", "gkl", "double"),
    [(swap, *both) for swap in SWAPS for both in zip(GKL_VERSIONS, (False, True), strict=True)],
)
def test_likelihoods_follow_the_model(
    jvm: Jvm,
    sample: list[regions.Region],
    expected: list[list[float]],
    swap: str,
    gkl: str,
    double: bool,
) -> None:
    """The log says what was done."""
    argument = {"regions": sample, "double": double}
    outcome = jvm("compute", argument, swap=swap, gkl=gkl, environment={"GKL_SHIM_VERIFY": "3"})
    assert outcome.result["ours"] == (swap != "library-path")
    assert f"Intel GKL replaced ({swap.replace('-', ' ')})" in (outcome.line(" build "))
    assert ("double" if double else "single") + " precision" in outcome.line(" build ")
    check(outcome.result["likelihoods"], expected, DOUBLE if double else SINGLE)
    match = re.search(
        r": (\d+) regions verified in double precision, 0 different, largest difference (\S+)$",
        outcome.line("regions verified"),
    )
    assert match
    assert int(match[1]) == len(sample) // 3
    assert (float(match[2]) == 0) == double
    assert float(match[2]) < SINGLE
    pairs = sum(len(region.reads) * len(region.haplotypes) for region in sample)
    cells = sum(
        sum(len(read.bases) for read in region.reads) * sum(map(len, region.haplotypes))
        for region in sample
    )
    again = "" if double else r"; [1-9]\d* pairs computed again"
    line = outcome.line("GCUPS")
    assert re.search(
        rf"PairHMM: {len(sample)} regions, {pairs} pairs, {cells} cells in \d+\.\d+ s, "
        rf"\d+\.\d+ GCUPS, \d+\.\d\d% of the run's \d+\.\d CPU seconds{again}",
        line,
    ), line


def test_stock_gkl_has_the_same_likelihoods_and_interface(
    jvm: Jvm, sample: list[regions.Region], expected: list[list[float]], used
) -> None:
    skip_unless_served("stock")
    scenarios = {"compute": {"regions": sample, "double": True}, "surface": regions.typical(4)}
    stock = jvm("several", scenarios, swap="stock")
    assert not stock.result["compute"]["ours"]
    assert not stock.ours
    check(stock.result["compute"]["likelihoods"], expected, SINGLE)
    ours, intels = used("agent").result["surface"], stock.result["surface"]
    check([ours.pop("likelihoods")], [intels.pop("likelihoods")], SINGLE)
    assert ours == intels


@pytest.mark.parametrize(("double", "grid"), [(False, 2**19), (True, 2**46)])
def test_results_are_rounded_as_gkls(tmp_path: Path, double: bool, grid: int) -> None:
    """Most have GKL's bits. Haplotypes that are equal for a read in GKL nearly always are here."""
    skip_unless_served("stock")
    some = [regions.typical(seed, reads=40, haplotypes=8, length=200) for seed in range(6)]
    rows: dict[str, list[list[float]]] = {}
    for swap in ("stock", "agent"):
        (tmp_path / swap).mkdir()
        outcome = Jvm(tmp_path / swap)("compute", {"regions": some, "double": double}, swap=swap)
        assert outcome.result["ours"] == (swap == "agent")
        values = [value for region in outcome.result["likelihoods"] for value in region]
        assert all((value * grid).is_integer() for value in values)
        rows[swap] = [values[start : start + 8] for start in range(0, len(values), 8)]
    gkl, ours = rows["stock"], rows["agent"]
    pairs = [pair for both in zip(gkl, ours, strict=True) for pair in zip(*both, strict=True)]
    assert sum(one == other for one, other in pairs) > 0.7 * len(pairs)
    ties = [
        row[first] == row[second]
        for truth, row in zip(gkl, ours, strict=True)
        for first, second in combinations(range(8), 2)
        if truth[first] == truth[second]
    ]
    assert sum(ties) > 0.9 * len(ties) > 1000


NULL, ILLEGAL = "java.lang.NullPointerException", "java.lang.IllegalArgumentException"


def test_wrong_arguments_throw(used) -> None:
    region = regions.typical(2)
    caught = used("agent").result["errors"]
    length = len(region.reads[1].bases)
    pairs = len(region.reads) * len(region.haplotypes)
    given = "reads, haplotypes or likelihoods is null"
    wanted = dict.fromkeys(("null reads", "null haplotypes", "null output"), (NULL, given))
    wanted["null read"] = (NULL, "read 1 is null")
    wanted["null haplotype"] = (NULL, "haplotype 1 is null")
    wanted["null haplotypeBases"] = (NULL, "haplotype 1: haplotypeBases is null")
    for name in ("readBases", "readQuals", "insertionGOP", "deletionGOP", "overallGCP"):
        wanted[f"null {name}"] = (NULL, f"read 1: {name} is null")
        for change, size in (("long", 400), ("short", 1)):
            message = f"read 1: {name} has {size} values for {length} bases"
            if name == "readBases":
                message = f"read 1: readQuals has {length} values for {size} bases"
            wanted[f"{change} {name}"] = (ILLEGAL, message)
    wanted["empty read"] = (ILLEGAL, "read 0 has no bases")
    wanted["empty haplotype"] = (ILLEGAL, "haplotype 1 has no bases")
    beyond = "read 1 has 1048577 letters; at most 1048576 are allowed"
    wanted["read beyond the limit"] = (ILLEGAL, beyond)
    wanted["short output"] = (
        ILLEGAL,
        f"likelihoods has room for {pairs - 1} values, 6 reads x 4 haplotypes need {pairs}",
    )
    assert caught == wanted


def test_wrong_arguments_throw_through_intels_classes(used) -> None:
    """Intel's class catches IllegalArgumentException, and throws another without its message."""
    skip_unless_served("library-path")
    outcome = used("library-path")
    caught = outcome.result["errors"]
    assert {kind for kind, _ in caught.values()} == {NULL, ILLEGAL}
    assert len(caught) == 25
    for name, (kind, _) in caught.items():
        assert kind == (NULL if name.startswith("null") else ILLEGAL), name
    assert caught["null deletionGOP"][1] == "read 1: deletionGOP is null"
    for message in (
        "read 0 has no bases",
        "haplotype 1 has no bases",
        "read 1: overallGCP has 1 values for",
        "likelihoods has room for 23 values, 6 reads x 4 haplotypes need 24",
        "read 1 has 1048577 letters; at most 1048576 are allowed",
    ):
        assert message in outcome.log


@each_swap
def test_computing_without_initialize_throws(used, swap: str) -> None:
    message = used(swap).result["uninitialized"]
    assert message == "computeLikelihoods was called before initialize"


def _complaints_of_jni(log: str) -> list[str]:
    lines = log.splitlines()
    # Intel's class still asks Intel's utilities for AVX, and these change the MXCSR. Java's own
    # method that lists loaded classes holds a reference to each.
    return [
        line
        for line, following in zip(lines, [*lines[1:], ""], strict=True)
        if re.search(r"WARNING in native|FATAL ERROR|local refs|JNI", line)
        and "RestoreMXCSROnJNICall" not in line
        and "sun.instrument.InstrumentationImpl.getInitiatedClasses0(" not in following
    ]


@each_swap
def test_check_jni_finds_nothing(used, swap: str) -> None:
    log = used(swap).log
    assert not _complaints_of_jni(log), log


def test_check_jni_finds_a_planted_fault(jvm: Jvm) -> None:
    """Its words are those that other tests do not find in their logs."""
    log = jvm("misuse_jni", None, options=["-Xcheck:jni"]).log
    assert any("WARNING in native method" in line for line in _complaints_of_jni(log)), log


def test_many_threads_compute_at_once(used) -> None:
    result = used("agent").result["many_threads"]
    assert result == {"wrong": [], "finished": 8, "differ": True}


@each_swap
def test_threads_may_share_an_instance(used, swap: str) -> None:
    assert used(swap).result["one_for_all"]


def test_done_does_not_disturb_other_instances(used) -> None:
    result = used("agent").result["done"]
    assert result["before"] == result["after"]
    single, double = result["before"]
    assert single != double
    check([double], [regions.likelihoods(regions.typical(3))], DOUBLE)


@each_swap
def test_no_file_stays_in_the_temporary_folder(used, swap: str) -> None:
    """Not even while the process runs, so a killed process leaves none."""
    assert used(swap).result["listing"] == []


def test_numbers_in_the_log_do_not_depend_on_the_locale(jvm: Jvm, tmp_path: Path) -> None:
    """A JVM sets the user's locale for the whole process. German writes 1.5 as 1,5."""
    name = "de_DE.UTF-8"
    command = [require_tool("localedef"), "-i", "de_DE", "-f", "UTF-8", tmp_path / name]
    if subprocess.run(command, capture_output=True).returncode:
        missing("there is no source of the German locale (Debian: locales)")
    german = {"LOCPATH": str(tmp_path), "LC_ALL": name}
    script = "import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.str(1.5))"
    shown = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, **german}, capture_output=True, text=True
    )
    assert shown.stdout == "1,5\n", shown.stderr
    line = jvm("compute", {"regions": [regions.typical(1)]}, environment=german).line("GCUPS")
    assert re.search(r" in \d+\.\d+ s, \d+\.\d+ GCUPS, \d+\.\d+% of", line), line


def test_quiet_logs_nothing(jvm: Jvm) -> None:
    setting = {"GKL_SHIM_LOG": "quiet", "GKL_SHIM_VERIFY": "1"}
    assert jvm("compute", {"regions": [regions.typical(1)]}, environment=setting).ours == []


def test_the_log_explains_the_number_of_threads(jvm: Jvm) -> None:
    def announced(
        environment: dict[str, str], cpus: set[int], *options: str, threads: int = 4
    ) -> str:
        argument = {"regions": [regions.typical(1)], "threads": threads}
        outcome = jvm("compute", argument, environment=environment, cpus=cpus, options=options)
        match = re.search(r"precision, (.*); Intel", outcome.line("build"))
        assert match
        return match[1]

    cpus = sorted(os.sched_getaffinity(0))
    assert announced({}, {cpus[0]}, threads=0) == "1 thread (0 asked for by GATK, 1 CPU)"
    # A property takes precedence over the environment.
    by_setting = "1 thread (7 asked for by GKL_SHIM_THREADS, 1 CPU)"
    assert announced({"GKL_SHIM_THREADS": "5"}, {cpus[0]}, "-Dgkl.shim.threads=7") == by_setting
    if len(cpus) < 2:
        pytest.skip("one CPU: nothing left to cap")
    assert announced({}, set(cpus[:2])) == "2 threads (4 asked for by GATK, 2 CPUs)"


def test_an_invalid_setting_is_ignored_with_a_warning(jvm: Jvm) -> None:
    """A line names the property, if that is set."""
    wrong = {"THREADS": "0", "BUILD": "sse", "VERIFY": "-1", "LOG": "loud", "BACKEND": "cpu"}
    environment = {f"GKL_SHIM_{name}": value for name, value in wrong.items()}
    argument = {"regions": [regions.typical(1)]}
    options = ["-Dgkl.shim.backend=fpga"]
    outcome = jvm("compute", argument, environment=environment, options=options)
    for words in (
        "GKL_SHIM_THREADS=0 is ignored",
        "GKL_SHIM_BUILD=sse is ignored: it must be one that this CPU can run (",
        "GKL_SHIM_VERIFY=-1 is ignored",
        "GKL_SHIM_LOG=loud is ignored",
        "gkl.shim.backend=fpga is ignored: ",
    ):
        assert "warning: " in outcome.line(words)
    assert len([line for line in outcome.ours if "warning" in line]) == 5
    assert outcome.result["ours"]


def test_the_build_can_be_chosen(jvm: Jvm) -> None:
    environment = {"GKL_SHIM_BUILD": "portable", "GKL_SHIM_THREADS": "2x"}
    outcome = jvm("compute", {"regions": [regions.typical(1)]}, environment=environment)
    assert "portable build (asked for by GKL_SHIM_BUILD)" in outcome.line(" build ")
    assert "GKL_SHIM_THREADS=2x is ignored" in outcome.line("warning")
