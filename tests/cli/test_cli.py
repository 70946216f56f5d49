"""The whole command line: help, exit codes, and one line for each error."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import gkl_shim
from gkl_shim.cli import _SUBCOMMANDS, cli
from tests.cli.shim_command import refused, run


def test_version_is_printed(tmp_path: Path) -> None:
    done = run(tmp_path, "--version")
    assert done.returncode == 0
    assert done.stdout.decode() == f"gkl-shim {gkl_shim.__version__}\n"


def test_help_lists_every_command(tmp_path: Path) -> None:
    text = run(tmp_path, "--help").stdout.decode()
    listed = [line.split()[0] for line in text.partition("Commands:")[2].splitlines() if line]
    assert [name for name in listed if name in _SUBCOMMANDS] == list(_SUBCOMMANDS)


_HELP = """
from click.testing import CliRunner
from gkl_shim.cli import _SUBCOMMANDS, cli
for name in ["", *_SUBCOMMANDS]:
    words = [*name.split(), "--help"]
    print(CliRunner().invoke(cli, words, prog_name="gkl-shim").stdout)
    if name == "bench":
        for algorithm in cli.get_command(None, name).commands:
            print(CliRunner().invoke(cli, [name, algorithm, "--help"]).stdout)
"""


def test_help_is_the_same_where_python_drops_docstrings(tmp_path: Path) -> None:
    with_docstrings, without = (
        subprocess.run(
            [sys.executable, *option, "-c", _HELP], cwd=tmp_path, check=True, capture_output=True
        ).stdout
        for option in ([], ["-OO"])
    )
    assert without == with_docstrings
    assert b"Accelerate GATK" in without


def test_no_arguments_show_the_help(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 2
    assert b"Usage: gkl-shim" in done.stderr


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("nonsense", "No such command 'nonsense' (see `gkl-shim --help`)"),
        ("pairhmm", "Missing argument 'IN' (see `gkl-shim pairhmm --help`)"),
        ("pairhmm x --threads -1", "Invalid value for '--threads'"),
        ("pairhmm x --backend tpu", "Invalid value for '--backend'"),
        ("pdhmm x --backend cuda",
         "Invalid value for '--backend': 'cuda' is not one of 'auto', 'cpu'"),
        ("bench pairhmm --seconds 0", "Invalid value for '--seconds'"),
        ("bench pairhmm --seconds nan", "Invalid value for '--seconds'"),
        ("mem -l 5x a b",
         "Invalid value for '-l': '5x' is not a whole number from 1 to 4611686018427387904"),
        ("correct -k 1.5 a", "Invalid value for '-k': '1.5' is not a whole number from 11 to 31"),
        ("correct --memory 4G a",
         "Invalid value for '--memory': '4G' is not a number from 0.001 to 1048576"),
        ("correct --nope a", "No such option '--nope' (see"),  # not the hidden --force
        ("correct a b --interleaved",
         "--interleaved is for one file of pairs; leave it out, or MATES (see"),
        ("prefilter -", "Missing option '-e'"),
        ("prefilter - -e 256", "Invalid value for '-e' / '--max-edits': 256 is not in the range"),
        ("prefilter - -e 2 --undefined pass",
         "Invalid value for '--undefined': 'pass' is not"),
        ("prefilter -e 2",
         "give either PAIRS.tsv or all of --reads, --reference and --candidates"),
        ("prefilter - -e 2 --reads r.fq", "give either PAIRS.tsv or all of"),
        ("prefilter -e 2 --candidates c.tsv", "give either PAIRS.tsv or all of"),
        ("prefilter - -e 2 --method gatekeeper --mode infix", "--method gatekeeper supports"),
        ("prefilter -e 1 --reads - --reference r.fa --candidates -",
         "only one of the inputs can be standard input"),
        ("smithwaterman x --scores 1,2",
         "Invalid value for '--scores': the scores are '1,2', not"),
        ("smithwaterman x --overhang none", "Invalid value for '--overhang'"),
        ("validate -R a -I b --jobs x",
         "Invalid value for '--jobs': 'x' is not a whole number of 1 or more"),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_line(tmp_path: Path, command: str, message: str) -> None:
    for name in ("a", "b"):
        (tmp_path / name).touch()
    code, told = refused(tmp_path, *command.split())
    assert (code, told[: len(message)]) == (2, message)


def test_help_may_be_repeated() -> None:
    done = CliRunner().invoke(cli, ["correct", "--help", "--help"])
    assert (done.exit_code, done.output.startswith("Usage: ")) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "option", "instead"),
    [
        (["mem", "-maxmatch", "-t", "4", "a", "b"], "-t", "-threads"),
        (["mem", "-t4", "a", "b"], "-t4", "-threads"),
        (["correct", "a", "-t", "4"], "-t", "--threads"),
        (["pairhmm", "-t", "4", "a"], "-t", "--threads"),
    ],
)
def test_the_option_for_threads_of_other_programs(
    tmp_path: Path, arguments: list[str], option: str, instead: str
) -> None:
    """nucmer 4, bwa, minimap2 and Lighter have -t."""
    code, told = refused(tmp_path, *arguments)
    assert code == 2
    pattern = rf"No such option:? '?{option}'?; for threads give {instead} \(see"
    assert re.match(pattern, told)


@pytest.mark.parametrize(
    ("arguments", "unknown", "near"),
    [
        (["correct", "a.fq", "-discard"], "-discard", "--discard"),
        (["smithwaterman", "a.tsv", "-threads", "2"], "-threads", "--threads"),
        (["prefilter", "-e", "2", "-pairs.tsv"], "-pairs.tsv", None),
        (["correct", "a.fq", "-force"], "-force", None),  # hidden
    ],
)
def test_the_whole_word_of_an_unknown_option_is_named(
    tmp_path: Path, arguments: list[str], unknown: str, near: str | None
) -> None:
    """MUMmer's options and find's have one hyphen, and names of files may begin with one."""
    code, told = refused(tmp_path, *arguments)
    assert code == 2
    assert re.match(rf"No such option:? '?{re.escape(unknown)}'?[. ]", told)
    assert re.findall(r"(?<=[ '])--[a-z]+(?='?\?)", told) == ([near] if near else [])
