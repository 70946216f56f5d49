"""``gkl-shim correct`` compares the names of mates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shim_command import run

PAIRS = 200
WARNING = "gkl-shim: warning: "

#: The first and the second name of a pair, as programs write them.
STYLES = {
    "slash": ("r{0}/1", "r{0}/2"),
    "Casava": ("M0:1:{0} 1:N:0:ACGT", "M0:1:{0} 2:N:0:ACGT"),
    "SRA": ("SRR1.{0} {0} length=20", "SRR1.{0} {0} length=20"),
    "SRA with numbers": ("SRR1.{0}.1 {0} length=20", "SRR1.{0}.2 {0} length=20"),
    "equal": ("r{0}", "r{0}"),
    "tab": ("r{0}\t1", "r{0}\t2"),
    "underscore": ("r{0}_1", "r{0}_2"),
}


def record(name: str) -> str:
    return f"@{name}\nACGTACGTTGCATGCAACGT\n+\n{'I' * 20}\n"


def told(folder: Path, first: list[str], second: list[str], interleaved: bool) -> list[str]:
    """Correct pairs with these names, and return the warnings."""
    if interleaved:
        together = [name for pair in zip(first, second, strict=True) for name in pair]
        (folder / "r.fq").write_text("".join(map(record, together)))
        arguments = ["r.fq", "--interleaved"]
    else:
        for name, names in (("r1.fq", first), ("r2.fq", second)):
            (folder / name).write_text("".join(map(record, names)))
        arguments = ["r1.fq", "r2.fq", "--output2", "o2"]
    done = run(folder, "correct", *arguments, "-o", "o", "--force", "--discard")
    assert done.returncode == 0, done.stderr
    *warnings, summary = done.stderr.decode().splitlines()
    assert summary.startswith(f"{2 * PAIRS} reads: ")
    return warnings


@pytest.mark.parametrize("interleaved", [False, True])
def test_names_of_mates(tmp_path: Path, interleaved: bool) -> None:
    """One pair has each style, so that one run tries all."""
    styles = list(STYLES.values())
    pairs = [styles[k % len(styles)] for k in range(PAIRS)]
    first, second = ([pair[side].format(k) for k, pair in enumerate(pairs)] for side in (0, 1))
    assert told(tmp_path, first, second, interleaved) == []
    # A read is missing, and everything after it is out of order.
    late = second[:150] + second[151:] + second[150:151]
    files = "r.fq" if interleaved else "r1.fq and r2.fq"
    names = f"{first[150].split()[0]} and {second[151].split()[0]}"
    assert told(tmp_path, first, late, interleaved) == [
        f"{WARNING}{files}: mates have different names (pair 151: {names}); if one is missing or "
        "out of order, --discard leaves out the wrong mates"
    ]


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("separator", "/._-")
def test_the_order_of_mates(tmp_path: Path, separator: str, interleaved: bool) -> None:
    """It is the same in all pairs, so reads x.1 and x.2 that are swapped are no mates."""
    first, second = ([f"r{k}{separator}{end}" for k in range(PAIRS)] for end in "12")
    assert told(tmp_path, first, second, interleaved) == []
    assert told(tmp_path, second, first, interleaved) == []
    swapped = [second[0], *first[1:]], [first[0], *second[1:]]
    names = f"r1{separator}1 and r1{separator}2"
    (warning,) = told(tmp_path, *swapped, interleaved)
    assert f"(pair 2: {names}, in another order than before); if one is" in warning
    # Equal names that end with the number of the read.
    names = [f"x{separator}{k + 1}" for k in range(PAIRS)]
    assert told(tmp_path, names, names, interleaved) == []
    (warning,) = told(tmp_path, names, [names[1], names[0], *names[2:]], interleaved)
    assert f"(pair 2: {names[1]} and {names[0]}, in another order" in warning


@pytest.mark.parametrize(
    "pair",
    [("r1", "r2"), ("a/1", "b/2"), ("a/1", "a/3"), ("a", "a/2"), ("a/1x", "a/2x"), ("a:1", "a:2")],
)
def test_names_of_other_reads(tmp_path: Path, pair: tuple[str, str]) -> None:
    first, second = ([name] * PAIRS for name in pair)
    (warning,) = told(tmp_path, first, second, False)
    assert f"(pair 1: {pair[0]} and {pair[1]})" in warning
