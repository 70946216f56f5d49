"""Memory runs out inside a JVM that contains another C++ run-time library."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import require_tool
from tests.java import regions
from tests.java.conftest import Jvm, compile_java

MIB = 1 << 20
ROOMS = [1 * MIB, 2 * MIB, 4 * MIB, 8 * MIB, 16 * MIB, 32 * MIB, 48 * MIB]
LARGE = {
    # These take memory for 16 MB of letters, for the states of long reads, or for 72 MB of results.
    "letters": regions.large(2, reads=2, read_length=30, haplotypes=4, length=4_000_000),
    "states": regions.large(3, reads=16, read_length=1000, haplotypes=64, length=300),
    "results": regions.large(4, reads=3000, read_length=20, haplotypes=3000, length=20),
}


@pytest.mark.parametrize(
    ("swap", "environment"), [("agent", {}), ("library-path", {"LD_PRELOAD": "libstdc++.so.6"})]
)
def test_out_of_memory_is_a_java_error_and_the_jvm_goes_on(
    jvm: Jvm, swap: str, environment: dict[str, str]
) -> None:
    """A distribution's libjvm.so is linked with libstdc++. For other JVMs, it is preloaded.

    The JVM itself fails without memory, so its compilers and parallel collectors are off.
    """
    outcome = jvm(
        "out_of_memory",
        (regions.typical(1, reads=20), list(LARGE.values()), ROOMS),
        swap=swap,
        options=["-Xint", "-XX:+UseSerialGC", "-XX:ErrorFile=/dev/stdout"],
        environment=environment,
    )
    caught = dict(zip(LARGE, outcome.result, strict=True))
    for name, exceptions in caught.items():
        assert set(exceptions) <= {"", "java.lang.OutOfMemoryError"}, name
    assert caught["letters"][:4] == ["java.lang.OutOfMemoryError"] * 4
    assert caught["results"] == ["java.lang.OutOfMemoryError"] * len(ROOMS)


def test_regions_beyond_the_heap_and_beyond_an_array(tmp_path: Path, agent_jar: Path) -> None:
    compile_java(str(agent_jar), tmp_path, [Path(__file__).with_name("RegionLimits.java")])
    command = [require_tool("java"), "-Xmx64m", "-cp", f"{tmp_path}:{agent_jar}"]
    command.append("org.gklshim.hmm.RegionLimits")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "PairHMM: a region of 500000000 reads and 2 haplotypes is too large",
        "Java heap space",
        str(ord("A")),
    ], done.stderr
