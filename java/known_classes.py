"""Write the lists of GATK's classes that the agent knows, with their hashes in each version.

    python java/known_classes.py 4.6.2.0=gatk-4.6.2.0.jar:picard-3.4.0.jar:htsjdk-4.2.0.jar \
        picard-2.26.10=picard-2.26.10.jar:htsjdk-2.24.1.jar

A version's classes may be in several jars, and a version of Picard counts like one of GATK. A list, such as regions.known, names each class that a part of gkl-shim depends on. To add a class,
write its name on a line of its own, and run this with the jars of all versions.
"""

from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path

LISTS = Path(__file__).parent / "src" / "main" / "resources" / "org" / "gklshim" / "gatk"
HEADER = "# Written by java/known_classes.py: a class, the SHA-256 of its file, versions of GATK\n"


def main(arguments: list[str]) -> None:
    """Write each list again, for the given versions and jars."""
    jars = {
        version: [zipfile.ZipFile(jar) for jar in paths.split(":")]
        for version, paths in (argument.split("=", 1) for argument in arguments)
    }
    for path in sorted(LISTS.glob("*.known")):
        lines = path.read_text(encoding="ascii").splitlines()
        names = dict.fromkeys(line.split()[0] for line in lines if line and line[0] != "#")
        path.write_text(HEADER + "".join(map(_lines, names, [jars] * len(names))), encoding="ascii")


def _lines(name: str, jars: dict[str, list[zipfile.ZipFile]]) -> str:
    versions: dict[str, list[str]] = {}
    for version, of_version in jars.items():
        for jar in of_version:
            if f"{name}.class" in jar.NameToInfo:
                digest = hashlib.sha256(jar.read(f"{name}.class")).hexdigest()
                versions.setdefault(digest, []).append(version)
                break
    return "".join(f"{name} {digest} {','.join(found)}\n" for digest, found in versions.items())


if __name__ == "__main__":
    main(sys.argv[1:])
