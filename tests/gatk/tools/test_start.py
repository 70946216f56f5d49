"""The start of GATK: the search for tools, and the thread that loads classes ahead.

The search finds what Barclay's own code finds: both search in one JVM. The thread loads no class
that GATK does not load.
"""

from __future__ import annotations

import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from gkl_shim.gatk import data, run, swaps
from tests.conftest import require_tool
from tests.gatk.conftest import QUICK, our_agent
from tests.java.conftest import compile_java

pytestmark = pytest.mark.gatk

HELLBENDER = "org.broadinstitute.hellbender"
#: The searches of GATK: for its tools and Picard's, for read filters, annotations and codecs.
SEARCHES = (
    f"{HELLBENDER},picard.cmdline.CommandLineProgram",
    f"{HELLBENDER},{HELLBENDER}.cmdline.CommandLineProgram",
    "picard,picard.cmdline.CommandLineProgram",
    f"{HELLBENDER}.engine.filters,{HELLBENDER}.engine.filters.ReadFilter",
    f"{HELLBENDER}.tools.walkers.annotator,{HELLBENDER}.tools.walkers.annotator.Annotation",
    f"{HELLBENDER}.utils.codecs,htsjdk.tribble.FeatureCodec",
    "picard.sam,java.lang.Runnable",
)
#: A class in a jar. Those that the JVM makes for lambda expressions differ between runs.
LOADED = re.compile(r"\] ([\w.$]+) source: file:.*(?<!/gkl-shim)\.jar$", re.M)
NO_ARCHIVE = [option for option in QUICK if "Archive" not in option]
#: The classes of a jar, which lacks Lost.
ODD_CLASSES = """
package odd;
class Odd {}
interface Named {}
interface Tool extends Named {}
abstract class Base implements Tool {}
class First extends Base { static class Inner extends First {} enum Kind { A, B } }
class Second implements java.util.function.Supplier<Tool>, Tool {
    public Tool get() { return new Base() {}; }
    Runnable run() { return () -> {}; }
    long number = 1L << 40; double other = 1.5e300; String text = "\\u00e9\\ud83d\\ude00";
}
class Filter extends org.broadinstitute.hellbender.engine.filters.ReadFilter {
    public boolean test(org.broadinstitute.hellbender.utils.read.GATKRead read) { return true; }
}
class Lost {}
class Orphan extends Lost implements Tool {}
class Afterwards extends Filter {}
class Ring1 extends Ring2 {}
class Ring2 {}
"""


def odd_jar(classes: Path, *, damaged: bool) -> Path:
    """Return a jar of classes like those of an extension of GATK."""
    jar = classes.with_name(f"odd-{damaged}.jar")
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("odd/", "")
        for path in sorted((classes / "odd").glob("*.class")):
            if path.name not in ("Lost.class", "Ring2.class"):
                archive.write(path, path.relative_to(classes))
        # Two classes that extend each other, and one whose size is wrong.
        ring = (classes / "odd/Ring1.class").read_bytes().replace(b"Ring2", b"Ring3")
        ring = ring.replace(b"Ring1", b"Ring2").replace(b"Ring3", b"Ring1")
        archive.writestr("odd/Ring2.class", ring)
        archive.getinfo("odd/Odd.class").file_size = 2**31 - 1
        if damaged:
            archive.writestr("odd/Garbage.class", bytes(range(200)))
            archive.writestr("odd/Empty.class", b"")
    return jar


def test_it_finds_the_same_classes_and_loads_no_others(
    classpath: str, checks: Path, tmp_path: Path
) -> None:
    """A class that cannot be read leaves a jar to Barclay. An absent superclass does not."""
    source, classes = tmp_path / "Odd.java", tmp_path / "classes"
    source.write_text(ODD_CLASSES)
    compile_java(classpath, classes, [source])
    whole, damaged = (odd_jar(classes, damaged=each) for each in (False, True))
    odd = [
        f"odd,{parent},{jar}"
        for jar in (whole, damaged)
        for parent in (f"{HELLBENDER}.engine.filters.ReadFilter", "java.util.function.Supplier")
    ]
    java = [require_tool("java"), *QUICK, our_agent()]
    java += ["-cp", f"{classpath}:{checks}", "ToolSearchCheck", *SEARCHES, *odd]
    done = subprocess.run(java, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found = re.findall(r"^found (\d+) (\w+)$", done.stdout, re.M)
    assert [same for _, same in found] == len([*SEARCHES, *odd]) * ["same"], done.stdout
    counts = [int(count) for count, _ in found]
    # None of GATK's classes extends Picard's class of tools.
    assert counts[0] == 0 and min(counts[1:6]) > 10
    assert counts[7:] == [2, 1, 2, 1], done.stdout
    *each, loaded, by_barclay = map(int, re.findall(r"loaded (\d+)$", done.stdout, re.M))
    assert by_barclay > 2 * loaded > 0, done.stdout
    # Barclay loads all classes of the damaged jar.
    assert max(each[7:9]) < min(each[9:]), done.stdout


def loaded(classpath: str, reference: Path, folder: Path, processors: int) -> tuple[set[str], str]:
    """Return the classes that a short tool of Picard loads, and its log."""
    log = folder / f"classes-{processors}"
    options = [*NO_ARCHIVE, f"-XX:ActiveProcessorCount={processors}"]
    done = run.gatk(
        ["CreateSequenceDictionary", "-R", str(reference), "-O", str(folder / "out.dict")],
        classpath,
        swaps.agent(),
        java_options=[*options, f"-Xlog:class+load:file={log}"],
        environment={"GKL_SHIM_LOG": "debug"},
    )
    assert done.returncode == 0, done.complaint
    (folder / "out.dict").unlink()
    return set(LOADED.findall(log.read_text())), done.log.decode()


def test_a_thread_loads_only_what_gatk_loads(
    classpath: str, chr22: data.Sample, tmp_path: Path
) -> None:
    alone, log = loaded(classpath, chr22.reference, tmp_path, 1)
    assert "start:" not in log
    ahead, log = loaded(classpath, chr22.reference, tmp_path, 2)
    (counts,) = re.findall(r"start: a thread has loaded (\d+) of (\d+) classes", log)
    assert counts[0] == counts[1] and int(counts[0]) > 2000
    assert len(alone) > int(counts[0])
    assert ahead == alone


def test_a_package_has_the_version_of_the_jar_that_comes_first(
    classpath: str, tmp_path: Path
) -> None:
    """A tool has the version of its package, which the first class of the package decides."""
    source = tmp_path / "Another.java"
    source.write_text(f"package {HELLBENDER}.tools; class Another {{}}")
    compile_java("", tmp_path, [source])
    jar = tmp_path / "another.jar"
    folder = f"{HELLBENDER}.tools".split(".")
    with zipfile.ZipFile(jar, "w") as archive:
        for depth in range(len(folder)):
            archive.writestr("/".join(folder[: depth + 1]) + "/", "")
        archive.write(
            tmp_path.joinpath(*folder, "Another.class"), "/".join([*folder, "Another.class"])
        )
    # The log has the version before the tool finds that there is no such input.
    command = ["PrintReads", "-I", str(tmp_path / "absent.bam"), "-O", str(tmp_path / "out.bam")]
    logs = [
        run.gatk(command, f"{jar}:{classpath}", swap, java_options=QUICK).log
        for swap in (swaps.STOCK, swaps.agent())
    ]
    version = re.compile(rb"(?:hellbender.tools|GATK.) v(\S+)$", re.M)
    assert [set(version.findall(log)) for log in logs] == [{b"Unavailable"}] * 2
