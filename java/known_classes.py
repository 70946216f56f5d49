"""Write the list of GATK's classes that the agent knows, with their hashes in each version.

    python java/known_classes.py 4.6.2.0=gatk-4.6.2.0.jar:barclay-5.0.0.jar 4.7.0.0=...

The list has each class that a part of gkl-shim names as one that it must know. To add a class,
write a line with its name, such as "org/example/Name". Then run this with the jars of every
version: GATK's own jar and those of its libraries. A version is GATK's number, or one such as
picard-3.4.0 for Picard alone.
"""

from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path

LIST = Path(__file__).parent / "src/main/resources/org/gklshim/gatk/known.classes"


def main(arguments: list[str]) -> None:
    """Write the list again, for the given versions and jars."""
    jars = {
        version: [zipfile.ZipFile(jar) for jar in paths.split(":")]
        for version, paths in (argument.split("=", 1) for argument in arguments)
    }
    lines = LIST.read_text(encoding="ascii").splitlines()
    header = [line for line in lines if line.startswith("#")]
    names = sorted(line.split()[0] for line in lines[len(header) :])
    written = [" ".join([name, *_forms(name, jars)]) for name in names]
    LIST.write_text("\n".join([*header, *written, ""]), encoding="ascii")


def _forms(name: str, jars: dict[str, list[zipfile.ZipFile]]) -> list[str]:
    versions: dict[str, list[str]] = {}
    for version, archives in jars.items():
        for jar in archives:
            if f"{name}.class" in jar.namelist():
                digest = hashlib.sha256(jar.read(f"{name}.class")).hexdigest()
                versions.setdefault(digest, []).append(version)
                break
    return [f"{digest}={','.join(found)}" for digest, found in versions.items()]


if __name__ == "__main__":
    main(sys.argv[1:])
