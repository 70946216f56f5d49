"""Which files code may be loaded from, in random trees of folders, files and links."""

from __future__ import annotations

import os
import random
import stat
import subprocess
from pathlib import Path

import pytest

from gkl_shim.common._safe_file import unsafe
from tests.conftest import ROOT, require_tool

OTHER = 12345
"""A user who is in no group of ours."""


class Tree:
    """Some folders, files in them, and links to both or to other links."""

    def __init__(self, root: Path, chosen: random.Random) -> None:
        root.mkdir(mode=0o755)
        folders, self.files, self.links = [root], [], []
        for number in range(5):
            folders.append(chosen.choice(folders) / f"folder{number}")
            folders[-1].mkdir()
        for number in range(3):
            self.files.append(chosen.choice(folders) / f"file{number}")
            self.files[-1].touch()
        for number in range(4):
            link = chosen.choice(folders) / f"link{number}"
            target = chosen.choice([*folders, *self.files, *self.links])
            relative = os.path.relpath(target, link.parent)
            link.symlink_to(chosen.choice([str(target), relative]))
            self.links.append(link)
        for path in (*folders, *self.files):
            if chosen.random() < 0.2:
                path.chmod(chosen.choice([0o777, 0o1777, 0o757] if path.is_dir() else [0o777]))
        if os.geteuid() == 0:
            for path in (*folders, *self.files, *self.links):
                if chosen.random() < 0.15:
                    os.chown(path, OTHER, OTHER, follow_symlinks=False)


def is_changeable(path: Path) -> bool:
    """Return whether `OTHER` can let a path lead to other bytes. The path exists."""
    reached, rest = Path("/"), list(path.parts[1:])
    while rest:
        part = rest.pop(0)
        if part == "..":
            reached = reached.parent
            continue
        folder, name = reached.stat(), reached / part
        is_owner = OTHER in (folder.st_uid, name.lstat().st_uid)
        if folder.st_mode & stat.S_IWOTH and (is_owner or not folder.st_mode & stat.S_ISVTX):
            return True
        if name.is_symlink():
            # An absolute target replaces what was reached.
            rest = [*name.readlink().parts, *rest]
        else:
            reached = name
    return bool(reached.stat().st_mode & stat.S_IWOTH)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("safe_file") / "program"
    sources = [Path(__file__).with_name("safe_file.cpp")]
    sources.append(ROOT / "kernels" / "python_host" / "safe_file.cpp")
    command = [require_tool("c++"), "-std=gnu++17", "-fsanitize=address,undefined"]
    command += ["-fno-sanitize-recover=all", f"-I{ROOT / 'kernels'}"]
    subprocess.run([*command, *sources, "-o", made], check=True)
    return made


@pytest.fixture(scope="module")
def java_program(tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    made = tmp_path_factory.mktemp("java")
    source = ROOT / "java" / "src" / "main" / "java" / "org" / "gklshim" / "SafeFile.java"
    check = Path(__file__).with_name("SafeFileCheck.java")
    subprocess.run([require_tool("javac"), "-d", made, source, check], check=True)
    return [require_tool("java"), "-cp", made, "org.gklshim.SafeFileCheck"]


def test_files_that_others_can_change_are_unsafe(
    program: Path, java_program: list[str | Path], tmp_path: Path
) -> None:
    """In Python and Java, where folders are checked too, and in native code."""
    chosen = random.Random(3)
    paths: list[Path] = []
    for number in range(150):
        tree = Tree(tmp_path / str(number), chosen)
        paths += [path for path in (*tree.files, *tree.links) if path.exists()]
    paths += [path.parent / ".." / path.parent.name / path.name for path in paths[::5]]
    # pathlib would leave the dot out.
    dotted = [f"{path.parent}/./../{path.parent.name}/./{path.name}" for path in paths[::5]]
    names = [*map(str, paths), *dotted]
    text = "".join(f"{name}\n" for name in names)
    native, java = (
        subprocess.run(
            command, input=text, capture_output=True, text=True, check=True
        ).stdout.splitlines()
        for command in ([program], java_program)
    )
    counts = {True: 0, False: 0}
    for name, line, java_line in zip(names, native, java, strict=True):
        path = Path(name)
        changeable = is_changeable(path)
        reason = unsafe(path)
        assert (reason is not None) == changeable, f"{path}: {reason}"
        assert java_line == (f"0{reason}" if reason else "1"), path
        if path.is_file():
            assert (line == "1") == (not changeable), f"{path}: {line}"
            assert line[1:] == (reason or "")
        counts[changeable] += 1
    assert min(counts.values()) > 100
