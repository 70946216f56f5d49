"""Output files when something else happens, and missing parts of the installation are named.

test_output_files.py has all rules of output files.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import gkl_shim
from gkl_shim import paths
from gkl_shim.common._output_files import atomic_output, check_outputs
from gkl_shim.errors import MissingComponent


@pytest.mark.parametrize("fault", [OSError, KeyboardInterrupt, SystemExit])
def test_a_failure_keeps_the_old_content(tmp_path: Path, fault: type[BaseException]) -> None:
    target = tmp_path / "out.txt"
    target.write_bytes(b"before")
    with pytest.raises(fault), atomic_output(target) as file:
        file.write(b"half")
        raise fault
    assert target.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_in_place_of_the_output_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user may make one in /tmp, between the first look at the file and the last write."""
    target, other = tmp_path / "out.txt", tmp_path / "other.txt"
    target.write_bytes(b"before")
    other.write_bytes(b"kept")

    def refuse(temporary: Path, name: Path) -> None:
        name.unlink()
        name.symlink_to(other)
        raise PermissionError(errno.EPERM, "not in this folder")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="symbolic links"), atomic_output(target) as file:
        file.write(b"after")
    assert other.read_bytes() == b"kept"


def test_a_link_that_the_kernel_refuses_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It refuses links of other users in folders such as /tmp, whoever may write to the target."""
    link, other = tmp_path / "link.txt", tmp_path / "other.txt"
    link.symlink_to(other)
    open_any = os.open

    def open_protected(path: Path, *arguments: int) -> int:
        if path == link:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return open_any(path, *arguments)

    monkeypatch.setattr(os, "open", open_protected)
    for content in (None, b"kept"):
        if content:
            other.write_bytes(content)
        with pytest.raises(PermissionError, match="link"), atomic_output(link):
            pass
        with pytest.raises(PermissionError, match="link"):
            check_outputs(link)
    assert other.read_bytes() == b"kept"


def test_a_device_may_be_input_and_output(tmp_path: Path) -> None:
    check_outputs("/dev/null", tmp_path / "new", inputs=["/dev/null", tmp_path / "absent", "-"])


def test_the_installed_library_and_header_are_found() -> None:
    assert paths.library().is_file()
    assert "gkl_shim_pairhmm_compute" in paths.header().read_text()


@pytest.mark.parametrize("name", ["library", "binding", "header", "agent_jar", "classpath_jar"])
def test_a_missing_part_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GKL_SHIM_LIBRARY", raising=False)
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path)
    monkeypatch.setattr(gkl_shim, "__path__", [str(tmp_path)])
    monkeypatch.setattr(paths, "_SOURCE_HEADER", tmp_path / "absent.h")
    with pytest.raises(MissingComponent, match=r"is missing: .* does not exist; reinstall"):
        getattr(paths, name)()


def test_a_source_checkout_is_recognized(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = tmp_path / "gkl_shim.h"
    header.touch()
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path)
    monkeypatch.setattr(gkl_shim, "__path__", [str(tmp_path)])
    monkeypatch.setattr(paths, "_SOURCE_HEADER", header)
    with pytest.raises(MissingComponent, match=r"is a source checkout .* `make setup`"):
        paths.agent_jar()


@pytest.mark.parametrize("name", ["library", "binding", "header", "agent_jar", "classpath_jar"])
def test_an_editable_install_has_its_modules_elsewhere(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """scikit-build-core puts both folders into the path of the package."""
    checkout = tmp_path / "checkout"
    monkeypatch.setattr(paths, "_SOURCE_HEADER", tmp_path / "absent.h")
    installed = getattr(paths, name)()
    monkeypatch.setattr(paths, "_PACKAGE", checkout)
    monkeypatch.setattr(gkl_shim, "__path__", [*gkl_shim.__path__, str(checkout)])
    assert getattr(paths, name)() == installed


def test_a_foreign_package_named_kernels_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kernels").mkdir()
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "gkl_shim")
    monkeypatch.setattr(paths, "_SOURCE_HEADER", tmp_path / "kernels" / "include" / "gkl_shim.h")
    assert paths.kernels() == tmp_path / "gkl_shim" / "kernels"
