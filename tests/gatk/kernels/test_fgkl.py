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

from gkl_shim.gatk import compare, data, run, swaps
from tests.gatk.conftest import QUICK, Gatk, command
from tests.gatk.kernels.test_dragen import MODE
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
def asking(gatk_470: Gatk, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The class path of a GATK that asks for fgkl."""
    folder = tmp_path_factory.mktemp("fgkl")
    jar = next(path for path in swaps.jars(gatk_470.classpath) if path.name.startswith("gatk-4"))
    with zipfile.ZipFile(jar) as gatk:
        for name in CALLERS:
            before = gatk.read(f"{name}.class")
            after = renamed(before)
            assert after != before
            path = folder / "renamed" / f"{name}.class"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(after)
    return f"{folder / 'renamed'}:{fgkl_jar(folder)}:{gatk_470.classpath}"


@pytest.mark.parametrize(("kernel", "options"), [("PairHMM", ()), ("PDHMM", MODE)])
def test_the_vcf_is_that_of_gatk_with_intels_classes(
    gatk_470: Gatk,
    asking: str,
    chr22: data.Sample,
    tmp_path: Path,
    kernel: str,
    options: tuple[str, ...],
) -> None:
    stock = gatk_470("HaplotypeCaller", chr22, *options)
    vcf = tmp_path / "fgkl.vcf"
    arguments = command("HaplotypeCaller", chr22, vcf, *options)
    done = run.gatk(arguments, asking, swaps.agent(), java_options=QUICK)
    log = done.log.decode()
    assert done.returncode == 0, log[-3000:]
    for name in (kernel, "Smith-Waterman"):
        assert re.search(rf"\] {name}: .* fgkl replaced \(agent\)", log), log[-3000:]
        assert re.search(rf"\] {name}: \d+ (region|alignment)s?, ", log), log[-3000:]
    assert "Intel GKL replaced" not in log
    found = compare.compare(stock.vcf, vcf)
    assert found.identical and found.records[0] > 0, str(found)
