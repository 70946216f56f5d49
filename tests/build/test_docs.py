"""The documentation: its links name files and headings, and its picture has its figures."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import speed_picture
from tests.conftest import ROOT

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


def pages() -> list[str]:
    """Return the pages in Markdown that git tracks."""
    command = ["git", "ls-files", "*.md"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.split()


def anchors(page: Path) -> set[str]:
    """Return the names by which GitHub links to a page's headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.skipif(not pages(), reason="this is no checkout")
def test_links_name_files_and_headings() -> None:
    wrong = []
    found = 0
    for name in pages():
        page = ROOT / name
        for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
            if "://" in target:
                continue
            found += 1
            path = page.parent / target if target else page
            if not path.exists() or (anchor and anchor not in anchors(path)):
                wrong.append(f"{name}: {target}#{anchor}")
    assert found > 100
    assert wrong == []


def test_the_picture_is_drawn_from_the_figures(tmp_path: Path) -> None:
    drawn = tmp_path / "speed.svg"
    done = CliRunner().invoke(speed_picture.command, [str(speed_picture.PAGE), str(drawn)])
    assert done.exit_code == 0, done.output
    assert drawn.read_text() == speed_picture.PICTURE.read_text()
    stock, ours = speed_picture.seconds(speed_picture.PAGE.read_text(), "### On 16 CPUs")
    assert (round(sum(stock)), round(sum(ours), 1)) == (330, 23.0)


def test_a_page_without_the_figures_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("### On two CPUs\n\n| MarkDuplicates | 1.0 (2) | 0.5 (1) |\n")
    done = CliRunner().invoke(speed_picture.command, [str(page), str(tmp_path / "speed.svg")])
    assert (done.exit_code, len(done.output.splitlines())) == (1, 1)
