"""MUMmer's scripts write the same files with `gkl-shim mem` as with their own mummer."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from benchmarks.common.simulated_samples import mutated_copies, random_sequence
from gkl_shim.mem import _mummer_scripts
from tests.cli.shim_command import COMMAND, one_error, refused, run
from tests.conftest import require_tool
from tests.mem.sequences import fasta

COMPLEMENT = str.maketrans("ACGT", "TGCA")


#: What is special to a shell, to Perl, or to either of their quotes.
SPECIAL = """a b@$&'";(|)<>*?#!%~`[]{}=^,+\\\\n$HOME@ARGV\n é"""


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
def shimmed(folder: Path) -> Path:
    """Make the copies of MUMmer's scripts, in a folder with a bad name."""
    require_tool("nucmer")
    copies = folder / SPECIAL / "copies"
    done = run(folder, "mummer-scripts", copies)
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in copies.iterdir())
    # run-mummer1 of Debian's package fails on its own.
    assert names == ["dnadiff", "mummer", "nucmer", "promer", "run-mummer3"]
    assert [line.split(b":")[0] for line in done.stderr.splitlines()] == [
        require_tool("run-mummer1").encode()
    ]
    return copies


@pytest.mark.parametrize(
    ("script", "options"),
    [
        ("nucmer", ["--mumreference"]),
        ("nucmer", ["--mum"]),
        ("nucmer", ["--maxmatch"]),
        ("nucmer", ["--maxmatch", "-l", "12", "-r"]),
        ("promer", []),
        ("dnadiff", []),
    ],
)
def test_the_files_are_the_same(
    folder: Path, shimmed: Path, script: str, options: list[str]
) -> None:
    deltas = []
    for program in (require_tool(script), shimmed / script):
        command = [program, *options, "reference.fa", "query.fa"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        deltas.append((folder / "out.delta").read_bytes())
        for path in folder.glob("out.*"):
            path.unlink()
    assert deltas[0] == deltas[1]
    assert deltas[0].count(b"\n") > 50


def test_run_mummer3(folder: Path, shimmed: Path) -> None:
    found = []
    for program in (require_tool("run-mummer3"), shimmed / "run-mummer3"):
        command = [program, "reference.fa", "query.fa", "run"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        found.append({path.name: path.read_bytes() for path in folder.glob("run.*")})
    assert found[0] == found[1] and len(found[0]) == 4


def test_the_copies_call_gkl_shim(folder: Path, shimmed: Path, tmp_path: Path) -> None:
    """With another program in the place of the one that runs `gkl-shim mem`, they fail."""
    program = shimmed / "mummer"
    text = program.read_bytes()
    program.write_text(f"#!/bin/sh\necho called >> {tmp_path}/calls\nexit 1\n")
    try:
        for script in ("nucmer", "promer", "dnadiff"):
            command = [shimmed / script, "-p", tmp_path / "o", "reference.fa", "query.fa"]
            done = subprocess.run(command, cwd=folder, check=False, capture_output=True)
            assert done.returncode != 0
    finally:
        program.write_bytes(text)
    assert (tmp_path / "calls").read_text() == 3 * "called\n"


@pytest.mark.parametrize("link", [False, True])
def test_copies_on_the_path_are_no_originals(
    folder: Path, shimmed: Path, tmp_path: Path, link: bool
) -> None:
    """The folder of earlier copies, or a link to one, is on the PATH before MUMmer."""
    place = shimmed
    if link:
        place = tmp_path / "links"
        place.mkdir()
        for script in shimmed.iterdir():
            (place / script.name).symlink_to(script)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{place}:{os.environ['PATH']}")
        found = {name: _mummer_scripts._installed(name) for name in _mummer_scripts.NAMES}
    originals = {name: Path(require_tool(name)) for name in _mummer_scripts.NAMES}
    assert found == originals


def test_a_full_disk_leaves_no_copies(tmp_path: Path) -> None:
    require_tool("nucmer")
    limit = [require_tool("prlimit"), "--fsize=1000", str(COMMAND)]
    done = subprocess.run(
        [*limit, "mummer-scripts", "new"], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, one_error(done)) == (1, f"{tmp_path}/new/nucmer: File too large")
    assert not list(tmp_path.iterdir())


def test_what_is_not_ours_is_kept(tmp_path: Path) -> None:
    require_tool("nucmer")
    (tmp_path / "nucmer").write_text("mine")
    message = f"{tmp_path}/nucmer exists and is not of gkl-shim; name another folder"
    assert refused(tmp_path, "mummer-scripts", ".") == (1, message)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("nucmer", "mine")]


def test_other_programs_of_the_same_name(tmp_path: Path) -> None:
    """A copy that would do something else is not left: MUMmer 4, and scripts of other versions."""
    (tmp_path / "bin").mkdir()
    for name, text in (
        ("nucmer", "\x7fELF"),
        ("promer", "#!/bin/sh\nmummer\n"),
        ("run-mummer3", '#!/bin/sh\n: $bindir/mummer x\necho "$0" > "$3.out"\n'),
    ):
        program = tmp_path / "bin" / name
        program.write_text(text)
        program.chmod(0o755)
    place = f"{tmp_path}/bin"
    done = run(tmp_path, "mummer-scripts", "new", env={"PATH": place})
    assert (done.returncode, done.stderr.decode().splitlines()) == (
        1,
        [
            f"{place}/nucmer: no copy: it is no script; MUMmer 4's programs find matches "
            "themselves",
            f"{place}/promer: no copy: it does not call mummer as MUMmer 3.23 does",
            f"{place}/run-mummer3: no copy: {tmp_path}/new/run-mummer3 writes other files than "
            f"{place}/run-mummer3",
        ],
    )
    assert not list((tmp_path / "new").iterdir())
