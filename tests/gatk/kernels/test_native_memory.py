"""How much memory GATK needs beyond Java's heap."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gkl_shim.gatk import data

pytestmark = pytest.mark.gatk

HEAP = 600
MEASURE = """\
import resource, sys
from gkl_shim.gatk import run, swaps

classpath, heap, *arguments = sys.argv[1:]
# The whole heap is resident from the start. So the rest of the memory is not Java's.
options = ["-Xms" + heap, "-Xmx" + heap, "-XX:+AlwaysPreTouch"]
result = run.gatk(arguments, classpath, swaps.agent(), java_options=options)
print(result.log.decode(), file=sys.stderr)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
sys.exit(result.returncode)
"""


@pytest.mark.parametrize("mode", [(), ("--dragen-378-concordance-mode",)], ids=["PairHMM", "PDHMM"])
def test_memory_beyond_the_heap_stays_under_500_mb(
    classpath: str, deep: data.Sample, mode: tuple[str, ...], tmp_path: Path
) -> None:
    # Pipelines leave 500 MB (the mitochondrial one) or 1 GB (WARP) of a container for it.
    command = ["HaplotypeCaller", "-R", str(deep.reference), "-I", str(deep.reads)]
    command += ["-O", str(tmp_path / "out.vcf"), *mode]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, classpath, f"{HEAP}m", *command],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "replaced (agent)" in done.stderr
    beyond = int(done.stdout) - HEAP
    print(f"{beyond} MB beyond the heap")
    assert 0 < beyond < 500
