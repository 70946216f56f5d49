"""Install a wheel of a release with this Python, and try it: python try_wheel.py FOLDER [--gatk].

The environment is empty, and its PATH holds no other program: no compiler, no Java, no Maven. The
oldest Python also tries the oldest packages that the wheel allows. With --gatk, GATK then runs with
and without gkl-shim. That needs Java, and Maven to download GATK.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data"
EXTRAS = ("cuda12", "cuda13", "plot")
#: The oldest packages have wheels for this Python only.
OLDEST_PYTHON = (3, 10)
#: Print the oldest version of every package that the wheel needs.
OLDEST = """
from importlib import metadata
for line in metadata.requires("gkl-shim"):
    if "extra ==" not in line:
        print(line.replace(">=", "==", 1))
"""
#: Import every command.
COMMANDS = """
import click
from gkl_shim.cli import cli
context = click.Context(cli)
for name in cli.list_commands(context):
    cli.get_command(context, name)
"""
#: Compare the likelihoods that the command printed with the recorded ones.
COMPARE = """
import sys, numpy
found, expected = (numpy.array(open(name).read().split(), float) for name in sys.argv[1:])
numpy.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
"""
#: Write a sample into the working directory, and print the class path of GATK.
PREPARE = """
from pathlib import Path
from gkl_shim.gatk import data, fetch
data.na12878_chr22(Path())
print(fetch.gatk_classpath(), end="")
"""
GATK = """
set -e
gatk() {
    java -cp "$(cat classpath)" org.broadinstitute.hellbender.Main HaplotypeCaller \
        -R q.fa -I NA12878.bam -O "$1.vcf" >"$1.log" 2>&1
}
gatk stock
eval "$(gkl-shim env)"
gatk shim
"""


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gatk", action="store_true")
    options = parser.parse_args()
    (wheel,) = options.folder.resolve().glob(f"*_{platform.machine()}.whl")
    with tempfile.TemporaryDirectory() as folder:
        attempt(wheel, Path(folder), options.gatk)
    print(f"{wheel.name} works with Python {platform.python_version()}")


def attempt(wheel: Path, folder: Path, gatk: bool) -> None:
    """Install the wheel into a folder and try it there."""
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / "bin"
    kept = ("HOME", "LANG", "LC_", "PIP_", "SSL_")
    bare = {name: value for name, value in os.environ.items() if name.startswith(kept)}
    bare["PATH"] = str(programs)
    full = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    full.pop("JAVA_TOOL_OPTIONS", None)

    def run(*command: object, env: dict[str, str] = bare) -> str:
        words = list(map(str, command))
        done = subprocess.run(words, env=env, cwd=folder, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(words)} failed:\n{done.stdout}")
        return done.stdout

    install = (programs / "pip", "install", "--quiet", "--only-binary=:all:")
    run(*install, wheel)
    for extra in EXTRAS:
        run(*install, "--dry-run", f"{wheel}[{extra}]")

    def compute() -> None:
        run(programs / "python", "-c", COMMANDS)
        print(run(programs / "gkl-shim", "doctor"))
        regions = DATA / "10s_three_regions.in"
        (folder / "found").write_text(run(programs / "gkl-shim", "pairhmm", regions))
        run(programs / "python", "-c", COMPARE, "found", regions.with_suffix(".log10"))

    compute()
    if sys.version_info[:2] == OLDEST_PYTHON:
        run(*install, *run(programs / "python", "-c", OLDEST).splitlines())
        compute()
    if gatk:
        (folder / "classpath").write_text(run(programs / "python", "-c", PREPARE, env=full))
        run("bash", "-c", GATK, env=full)
        compare_runs(folder)


def compare_runs(folder: Path) -> None:
    """GATK has used gkl-shim's PairHMM, and has written stock GATK's records."""
    log = (folder / "shim.log").read_text()
    used = [line for line in log.splitlines() if "] PairHMM: " in line and " cells in " in line]
    stock, shim = (
        [line for line in (folder / name).read_text().splitlines() if not line.startswith("#")]
        for name in ("stock.vcf", "shim.vcf")
    )
    if not used or not stock or stock != shim:
        sys.exit(f"GATK wrote {len(shim)} records with gkl-shim and {len(stock)} without:\n{log}")
    print(f"GATK wrote the same {len(shim)} records with gkl-shim as without\n{used[0]}")


if __name__ == "__main__":
    main()
