"""The whole command line: help, exit codes, and one line for each error."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gkl_shim
from gkl_shim.cli import _SUBCOMMANDS
from tests.cli.shim_command import refused, run


def test_version_is_printed(tmp_path: Path) -> None:
    done = run(tmp_path, "--version")
    assert done.returncode == 0
    assert done.stdout.decode() == f"gkl-shim {gkl_shim.__version__}\n"


def test_help_lists_every_command(tmp_path: Path) -> None:
    text = run(tmp_path, "--help").stdout.decode()
    listed = [line.split()[0] for line in text.partition("Commands:")[2].splitlines() if line]
    assert [name for name in listed if name in _SUBCOMMANDS] == list(_SUBCOMMANDS)


def test_no_arguments_show_the_help(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 2
    assert b"Usage: gkl-shim" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "No such command 'nonsense' (see `gkl-shim --help`)"),
        (["pairhmm"], "Missing argument 'IN' (see `gkl-shim pairhmm --help`)"),
        (["pairhmm", "x", "--threads", "-1"], "Invalid value for '--threads'"),
        (["pairhmm", "x", "--backend", "tpu"], "Invalid value for '--backend'"),
        (
            ["pdhmm", "x", "--backend", "cuda"],
            "Invalid value for '--backend': 'cuda' is not one of 'auto', 'cpu'",
        ),
        (["bench", "pairhmm", "--seconds", "0"], "Invalid value for '--seconds'"),
        (["bench", "pairhmm", "--seconds", "nan"], "Invalid value for '--seconds'"),
        (["bench", "prefilter", "-e", "300"], "Invalid value for '-e'"),
    ],
)
def test_wrong_usage_is_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    code, told = refused(tmp_path, *arguments)
    assert (code, told[: len(message)]) == (2, message)


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
