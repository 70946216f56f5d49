"""Haplotypes are cut where few columns have to be computed."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, require_tool, shared_data

Region = list[str]
Choose = Callable[[list[Region]], list[list[int]]]

#: The fewest distinct haplotypes that are not all cut in the middle.
FEW = 8
#: The most letters of a haplotype that is not cut when no other shares its region.
LONGEST_UNCUT = 1024


@pytest.fixture(scope="module")
def choose(tmp_path_factory: pytest.TempPathFactory) -> Choose:
    """Return a function from regions to the cuts of their haplotypes."""
    program = tmp_path_factory.mktemp("cuts") / "cuts"
    command = [require_tool("c++"), "-std=c++17", "-O1", "-Wall", "-Werror"]
    command += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command += ["-I", str(ROOT / "kernels"), str(Path(__file__).with_name("cuts.cpp"))]
    sources = ("hmm/pairhmm/cuts.cpp", "hmm/plan.cpp")
    command += [str(ROOT / "kernels" / name) for name in sources]
    subprocess.run([*command, "-o", str(program)], check=True)

    def choose(regions: list[Region]) -> list[list[int]]:
        text = "".join(" ".join(region) + "\n" for region in regions)
        done = subprocess.run([program], input=text, check=True, capture_output=True, text=True)
        return [[int(cut) for cut in line.split()] for line in done.stdout.splitlines()]

    return choose


def columns(region: Region, cuts: list[int]) -> int:
    """Return the number of distinct columns: prefixes of all heads and suffixes of all tails."""
    pairs = list(zip(region, cuts, strict=True))
    heads = {letters[:k] for letters, cut in pairs for k in range(1, cut + 1)}
    tails = {letters[k:] for letters, cut in pairs for k in range(cut, len(letters))}
    return len(heads) + len(tails)


def in_the_middle(region: Region) -> list[int]:
    return [len(letters) // 2 for letters in region]


def fewest(region: Region) -> int:
    """Return a bound below which no cuts come: the largest matching of prefixes and suffixes.

    Each column of each haplotype needs its prefix or its suffix, so no two columns of a matching
    can be computed by one (Koenig 1931). Paths are searched one by one (Ford and Fulkerson 1956).
    """
    suffixes: dict[str, set[str]] = {}
    for letters in region:
        for k in range(len(letters)):
            suffixes.setdefault(letters[: k + 1], set()).add(letters[k:])
    prefix_of: dict[str, str] = {}

    def matched(prefix: str, tried: set[str]) -> bool:
        for suffix in suffixes[prefix] - tried:
            tried.add(suffix)
            if suffix not in prefix_of or matched(prefix_of[suffix], tried):
                prefix_of[suffix] = prefix
                return True
        return False

    return sum(matched(prefix, set()) for prefix in suffixes)


def mutated(rnd: random.Random, letters: str, places: list[int], indels: bool) -> str:
    """Change a sequence at some of the places."""
    changed = list(letters)
    for place in places:
        if rnd.random() < 0.5:
            continue
        kind = rnd.choice("sdi" if indels else "s")
        changed[place] = {"s": rnd.choice("ACGT"), "d": "", "i": changed[place] + "T"}[kind]
    return "".join(changed)


def made(seed: int, count: int, length: int, variants: int, indels: bool) -> Region:
    rnd = random.Random(seed)
    letters = "".join(rnd.choice("ACGT") for _ in range(length))
    places = sorted(rnd.sample(range(length), variants))
    return [mutated(rnd, letters, places, indels) for _ in range(count)]


def test_few_haplotypes_are_cut_in_the_middle(choose: Choose) -> None:
    few = made(1, FEW - 1, 60, 5, False)
    regions = [few, few * 9, ["A", "AC", "ACGTA"]]
    assert choose(regions) == [in_the_middle(region) for region in regions]


def test_a_short_distinct_haplotype_alone_is_not_cut(choose: Choose) -> None:
    [letters] = made(2, 1, LONGEST_UNCUT, 0, False)
    whole = [["A"], [letters], [letters] * 3, ["ACGTA"] * 50]
    cut = [[letters + "A"], [letters + "A"] * 2, [letters, letters[1:]]]
    lengths = [[len(haplotype) for haplotype in region] for region in whole]
    assert choose(whole + cut) == lengths + [in_the_middle(region) for region in cut]


@pytest.mark.parametrize("indels", [False, True], ids=["substitutions", "indels"])
def test_hardly_any_cuts_need_fewer_columns(choose: Choose, indels: bool) -> None:
    regions = [made(seed, 8 + seed, 50, 2 + seed % 9, indels) for seed in range(30)]
    fewer = total = least = 0
    for region, cuts in zip(regions, choose(regions), strict=True):
        assert all(0 < cut < len(letters) for letters, cut in zip(region, cuts, strict=True))
        middle, found = columns(region, in_the_middle(region)), columns(region, cuts)
        assert found <= 1.1 * middle
        fewer += found < middle
        total += found
        least += fewest(region)
    assert fewer > 10
    assert least <= total <= 1.1 * least


def test_the_order_of_haplotypes_does_not_matter(choose: Choose) -> None:
    end = "ACGTTGCATTAGGCA" * 4
    region = [letters + end for letters in made(5, 30, 40, 8, True)]
    [cuts] = choose([region])
    assert cuts != in_the_middle(region)
    shuffled = list(range(len(region)))
    random.Random(1).shuffle(shuffled)
    again = [region[k] for k in shuffled] + [region[3]]
    assert choose([again]) == [[cuts[k] for k in shuffled] + [cuts[3]]]


def test_odd_shapes(choose: Choose) -> None:
    """One letter, nothing in common, one a prefix of the next, all the same."""
    regions = [
        list("ACGT") * 3,
        ["A" * k for k in range(1, 20)],
        ["AC" * k + "G" for k in range(1, 20)],
        [random.Random(k).choice("ACGT") * 30 for k in range(20)],
        ["".join(random.Random(k).choice("ACGT") for _ in range(20)) for k in range(20)],
    ]
    for region, cuts in zip(regions, choose(regions), strict=True):
        assert columns(region, cuts) <= 1.2 * columns(region, in_the_middle(region))
        assert all(cut >= (len(letters) > 1) for letters, cut in zip(region, cuts, strict=True))


def test_recorded_regions(choose: Choose) -> None:
    lines = iter(shared_data("pairhmm", "10s.in").read_text().splitlines())
    regions = []
    for line in lines:
        reads, haplotypes = map(int, line.split())
        regions.append([next(lines) for _ in range(reads + haplotypes)][reads:])
    total = middle = 0
    for region, cuts in zip(regions, choose(regions), strict=True):
        total += columns(region, cuts)
        middle += columns(region, in_the_middle(region))
    assert total < 0.95 * middle
