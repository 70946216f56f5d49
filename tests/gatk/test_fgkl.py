"""A GATK that asks for fgkl's classes, as the one after 4.7.0.0 is to do.

It is 4.7.0.0 with other names in three of its classes. fgkl's own classes are stand-ins, which
compute nothing, so an equal VCF shows that gkl-shim took their place.
"""

from __future__ import annotations

import re
import struct
import zipfile
from pathlib import Path

import pytest

from benchmarks.common import gatk_versions
from gkl_shim.gatk import compare, data, run, swaps
from tests.conftest import require_tool
from tests.gatk.conftest import Gatk, Output
from tests.java.test_kernels import fgkl_jar

pytestmark = pytest.mark.gatk

UTILS = "org/broadinstitute/hellbender/utils/"
CALLERS = (
    UTILS + "pairhmm/VectorLoglessPairHMM",
    UTILS + "pairhmm/VectorLoglessPairPDHMM",
    UTILS + "smithwaterman/SmithWatermanIntelAligner",
)
INTEL = re.compile(rb"com/intel/gkl/(?:pairhmm/IntelPairHmm(?:OMP)?|pdhmm/IntelPDHMM|"
                   rb"smithwaterman/IntelSmithWaterman)(?=;|$)")  # fmt: skip
FGKL = {
    b"pairhmm": b"com/fulcrumgenomics/fgkl/pairhmm/FgklPairHmm",
    b"pdhmm": b"com/fulcrumgenomics/fgkl/pdhmm/FgklPdHmm",
    b"smithwaterman": b"com/fulcrumgenomics/fgkl/smithwaterman/FgklSmithWaterman",
}
#: The size of a constant by its tag, for all but text.
SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4,
         19: 2, 20: 2}  # fmt: skip


def renamed(code: bytes) -> bytes:
    """Return a class file that names fgkl's classes instead of Intel's."""
    (count,) = struct.unpack_from(">H", code, 8)
    made, at, index = [code[:10]], 10, 1
    while index < count:
        tag = code[at]
        if tag == 1:
            (length,) = struct.unpack_from(">H", code, at + 1)
            text = code[at + 3 : at + 3 + length]
            text = INTEL.sub(lambda match: FGKL[match[0].split(b"/")[3]], text)
            made.append(struct.pack(">BH", 1, len(text)) + text)
            at += 3 + length
        else:
            made.append(code[at : at + 1 + SIZES[tag]])
            at += 1 + SIZES[tag]
        index += 2 if tag in (5, 6) else 1
    return b"".join([*made, code[at:]])


@pytest.fixture(scope="module")
def gatks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Gatk, str]:
    """GATK 4.7.0.0, and the class path of the one that asks for fgkl."""
    require_tool("java")
    require_tool("mvn")
    folder = tmp_path_factory.mktemp("fgkl")
    classpath = gatk_versions.classpath("4.7.0.0")
    jar = next(path for path in swaps.jars(classpath) if path.name.startswith("gatk-4"))
    with zipfile.ZipFile(jar) as gatk:
        for name in CALLERS:
            before = gatk.read(f"{name}.class")
            after = renamed(before)
            assert after != before
            path = folder / "renamed" / f"{name}.class"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(after)
    asking = f"{folder / 'renamed'}:{fgkl_jar(folder)}:{classpath}"
    return Gatk(classpath, tmp_path_factory.mktemp("gatk-4.7.0.0")), asking


@pytest.mark.parametrize(
    ("options", "kernels"),
    [((), ["PairHMM"]), (("--dragen-378-concordance-mode",), ["PDHMM"])],
)
@pytest.mark.parametrize("swap", ["agent", "classpath"])
def test_the_vcf_is_that_of_gatk_with_intels_classes(
    gatks: tuple[Gatk, str],
    chr20: data.Sample,
    tmp_path: Path,
    options: tuple[str, ...],
    kernels: list[str],
    swap: str,
) -> None:
    gatk, asking = gatks
    stock: Output = gatk("HaplotypeCaller", chr20, *options)
    vcf = tmp_path / "fgkl.vcf"
    arguments = ["HaplotypeCaller", "-R", str(chr20.reference), "-I", str(chr20.reads)]
    chosen = swaps.agent() if swap == "agent" else swaps.classpath()
    done = run.gatk([*arguments, "-O", str(vcf), *options], asking, chosen)
    log = done.log.decode()
    assert done.returncode == 0, log[-3000:]
    how = {"agent": "agent", "classpath": "class path"}[swap]
    for kernel in (*kernels, "Smith-Waterman"):
        assert re.search(rf"\] {kernel}: .* fgkl replaced \({how}\)", log), log[-3000:]
        assert re.search(rf"\] {kernel}: \d+ (region|alignment)s?, ", log), log[-3000:]
    assert "Intel GKL replaced" not in log
    found = compare.compare(stock.vcf, vcf)
    assert found.identical and found.records[0] > 0, str(found)
