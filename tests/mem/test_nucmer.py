"""nucmer writes the same file with `gkl-shim mem` as with its own mummer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.common.simulated_samples import mutated_copies, random_sequence
from tests.conftest import ROOT, require_tool
from tests.mem.sequences import fasta

COMPLEMENT = str.maketrans("ACGT", "TGCA")


def documented_lines() -> str:
    """Return the shell commands that docs/mem.md gives."""
    blocks = (ROOT / "docs" / "mem.md").read_text().split("```")[1::2]
    (block,) = (block for block in blocks if "nucmer-shim" in block)
    return block.removeprefix("sh\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two genomes with repeats, and in the second an inversion and a moved part."""
    letters = random_sequence(60_000, 4)
    for start in (20_000, 41_000):
        letters = letters[:start] + letters[5_000:6_500] + letters[start + 1_500 :]
    copy, _ = mutated_copies(letters, 0.03, 5)
    inverted = copy[12_000:18_000].translate(COMPLEMENT)[::-1]
    query = copy[:12_000] + inverted + copy[30_000:] + copy[18_000:30_000]
    made = tmp_path_factory.mktemp("nucmer")
    (made / "reference.fa").write_bytes(fasta([letters[:45_000], letters[45_000:]], "r", 60))
    (made / "query.fa").write_bytes(fasta([query[:20_000], query[20_000:]], "q"))
    return made


@pytest.fixture(scope="module")
def shimmed(folder: Path) -> str:
    """Make the copy of nucmer as the docs say."""
    require_tool("nucmer")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    variables = {**os.environ, "HOME": str(folder), "PATH": path}
    subprocess.run(["sh", "-ec", documented_lines()], env=variables, cwd=folder, check=True)
    # The program that the tests are of, whatever the PATH is.
    program = folder / "bin" / "mummer-shim"
    program.write_text(program.read_text().replace("gkl-shim", require_tool("gkl-shim")))
    return str(folder / "bin" / "nucmer-shim")


@pytest.mark.parametrize(
    "options", [["--mumreference"], ["--mum"], ["--maxmatch"], ["--maxmatch", "-l", "12", "-r"]]
)
def test_the_delta_file_is_the_same(folder: Path, shimmed: str, options: list[str]) -> None:
    deltas = []
    for program in (require_tool("nucmer"), shimmed):
        command = [program, *options, "reference.fa", "query.fa"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        deltas.append((folder / "out.delta").read_bytes())
        (folder / "out.delta").unlink()
    assert deltas[0] == deltas[1]
    assert deltas[0].count(b"\n") > 50
