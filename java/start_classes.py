"""Write the list of the classes that every tool of GATK loads when it starts.

    python java/start_classes.py CLASSPATH

It needs this package, installed, and the class path of a GATK. The tools run with the agent, which
loads fewer classes than stock GATK. On one processor, it loads none ahead. The JDK's own classes
are left out, because they differ between versions of Java and gain nothing. A line is a package
and its classes, both in the order in which GATK loads them.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gkl_shim.gatk import data, run, swaps

LIST = Path(__file__).parent / "src/main/resources/org/gklshim/gatk/start.classes"
HEADER = "# Written by java/start_classes.py: what every tool of GATK loads when it starts\n"

# Not those that the JVM makes for lambda expressions and proxies.
_LOADED = re.compile(r"\] ([\w.$]+) source: file:.*(?<!/gkl-shim)\.jar$", re.M)


def main(classpath: str) -> None:
    """Write the list."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sample = data.na12878_chr22(folder / "sample")
        reads, vcf = ["-I", str(sample.reads)], str(folder / "out.vcf")
        runs = [
            ["PrintReads", *reads, "-O", str(folder / "printed.bam")],
            ["HaplotypeCaller", "-R", str(sample.reference), *reads, "-O", vcf],
            ["SelectVariants", "-V", vcf, "-O", str(folder / "selected.vcf")],
            ["MarkDuplicates", *reads, "-O", str(folder / "marked.bam"), "-M", str(folder / "m")],
        ]
        # The places of some mates are in another reference.
        runs[-1] += ["--VALIDATION_STRINGENCY", "SILENT"]
        loaded = [classes(arguments, classpath, folder / "log") for arguments in runs]
    common = set.intersection(*map(set, loaded))
    packages: dict[str, list[str]] = {}
    for name in loaded[0]:
        if name in common:
            package, _, simple_name = name.rpartition(".")
            packages.setdefault(package, [package]).append(simple_name)
    lines = [" ".join(line) + "\n" for line in packages.values()]
    LIST.write_text(HEADER + "".join(lines), encoding="ascii")


def classes(arguments: Sequence[str], classpath: str, log: Path) -> list[str]:
    """Return the classes of GATK and its libraries that a run loads, in their order."""
    options = ["-XX:ActiveProcessorCount=1", f"-Xlog:class+load:file={log}"]
    done = run.gatk(arguments, classpath, swaps.agent(), java_options=options)
    if done.returncode != 0:
        sys.exit(f"{arguments[0]}: {done.complaint}")
    found: list[str] = _LOADED.findall(log.read_text(encoding="utf-8"))
    return found[found.index(run.MAIN_CLASS) + 1 :]


if __name__ == "__main__":
    main(*sys.argv[1:])
