"""Links of the documentation name files of the repository, and headings in them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

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
