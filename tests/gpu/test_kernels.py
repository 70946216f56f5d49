"""The kernels compiled ahead: all are in the package, and the right one is loaded."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gkl_shim import paths
from gkl_shim.cuda import kernels
from gkl_shim.pairhmm._cuda import widths
from tests.conftest import ROOT, alone, missing
from tests.fakes.cupy import CuPy

FILES = tuple(kernels.files())
#: A release has all. Otherwise the oldest is compiled, which knows least, to save time.
ARCHITECTURES = kernels.ARCHITECTURES[: None if any(paths.kernels().rglob("*.cubin")) else 1]
TARGETS = [f"sm_{number}" for number in kernels.ARCHITECTURES]
TARGETS.append(f"compute_{kernels.PTX_ARCHITECTURE}")


def named(file: str, ending: str) -> Path:
    return Path(file).with_name(f"{Path(file).stem}.{kernels.fingerprint(file)}.{ending}")


def shipped(file: str, ending: str) -> Path:
    """The kernels in the package, otherwise compiled now as for a release and kept in build/."""
    installed = paths.kernels() / named(file, ending)
    if installed.is_file():
        return installed
    made = ROOT / "build" / "tests" / "cubins" / named(file, ending)
    with alone(made.parent):
        if not made.is_file():
            library = cubins("nvrtc", *TARGETS)
            if not library:
                missing("NVRTC 13.0 is not installed (pip install nvidia-cuda-nvrtc==13.0.*)")
            path = made.with_name("nvrtc")
            path.write_text(library)
            cubins("make", str(path), file, ending.partition(".")[0], str(made))
    return made


def cubins(*arguments: str) -> str:
    command = [sys.executable, ROOT / "cmake" / "cubins.py", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def symbols(file: str) -> list[str]:
    if kernels.expressions(file):
        names = json.loads(shipped(file, "symbols.json").read_text())
        assert tuple(names) == kernels.expressions(file)
        return list(names.values())
    return sorted(set(re.findall(rf"\b(?:pair)?{file.split('/')[0]}_\w+", kernels.source(file))))


def test_every_width_of_pairhmm_has_a_kernel():
    for precision in ("single", "double"):
        names = {f"pairhmm_{precision}_{rows}" for rows in widths(precision)}
        assert names <= set(symbols("hmm/cuda/kernels/kernels.cu"))


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_machine_code_holds_every_kernel(file, architecture):
    code = shipped(file, f"sm_{architecture}.cubin").read_bytes()
    assert code[:4] == b"\x7fELF"
    for symbol in symbols(file):
        assert f"\0.text.{symbol}\0".encode() in code


@pytest.mark.parametrize("file", FILES)
def test_ptx_is_for_drivers_of_cuda_13_0(file):
    text = shipped(file, f"compute_{kernels.PTX_ARCHITECTURE}.ptx").read_text().rstrip("\0")
    major, minor = re.search(r"^\.version (\d+)\.(\d+)$", text, re.MULTILINE).groups()
    assert (int(major), int(minor)) <= (9, 0)
    assert re.search(rf"^\.target sm_{kernels.PTX_ARCHITECTURE}$", text, re.MULTILINE)
    for symbol in symbols(file):
        assert re.search(rf"^\.(visible|weak) \.entry {symbol}\($", text, re.MULTILINE)


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("file", FILES)
def test_the_device_takes_them(file, monkeypatch):
    """No compiler runs if the package has machine code for the device."""
    cupy = pytest.importorskip("cupy")
    architecture = cupy.cuda.Device(0).compute_capability
    best = kernels.suitable(int(architecture))[0]
    if not any(paths.kernels().rglob("*.cubin")):
        pytest.skip("the package was built without NVRTC 13.0, so it has no machine code")
    assert (paths.kernels() / named(file, best)).is_file()
    module = kernels.Kernels(cupy, file, architecture)
    monkeypatch.delattr(cupy, "RawModule")
    for name in kernels.expressions(file) or symbols(file):
        assert module.get_function(name).num_regs > 0


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("file", FILES)
def test_the_driver_takes_the_ptx(file):
    cupy = pytest.importorskip("cupy")
    module = cupy.RawModule(path=str(shipped(file, f"compute_{kernels.PTX_ARCHITECTURE}.ptx")))
    for symbol in symbols(file):
        assert module.get_function(symbol).num_regs > 0


def loaded_from(kernel):
    """Return the kernel's name, and whether it was compiled ahead or now."""
    return ("ahead" if kernel.path else "now"), kernel.name


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Kernel files with their own headers, and everything compiled ahead."""
    monkeypatch.setattr(paths, "kernels", lambda: tmp_path)
    for file in FILES:
        names = kernels.expressions(file)
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#include "{Path(file).parent}/model.h"\nkernels of {file}\n')
        path.with_name("model.h").write_text("the model\n")
        stem = f"{path.stem}.{kernels.fingerprint(file)}"
        for number in kernels.ARCHITECTURES:
            path.with_name(f"{stem}.sm_{number}.cubin").write_text("ahead")
        path.with_name(f"{stem}.compute_{kernels.PTX_ARCHITECTURE}.ptx").write_text("ahead")
        named = json.dumps({name: f"_Z{index}" for index, name in enumerate(names)})
        path.with_name(f"{stem}.symbols.json").write_text(named)
    return tmp_path


@pytest.mark.parametrize(
    ("architecture", "loaded"),
    [
        ("75", "sm_75.cubin"),
        ("80", "sm_80.cubin"),
        ("86", "sm_86.cubin"),
        ("87", "sm_86.cubin"),
        ("89", "sm_89.cubin"),
        ("90", "sm_90.cubin"),
        ("100", "sm_100.cubin"),
        ("103", "sm_100.cubin"),
        ("110", "compute_80.ptx"),
        ("120", "sm_120.cubin"),
        ("121", "sm_120.cubin"),
        ("130", "compute_80.ptx"),
    ],
)
def test_the_best_is_loaded(folder, architecture, loaded):
    cupy = CuPy()
    for file in FILES:
        kernels.Kernels(cupy, file, architecture)
    assert [path.split(".", 2)[2] for path in cupy.loaded] == [loaded] * len(FILES)


def test_symbols_of_templates(folder):
    loaded = kernels.Kernels(CuPy(), "prefilter/cuda/kernels.cu", "90")
    for index, name in enumerate(kernels.EXPRESSIONS["prefilter/cuda/kernels.cu"]):
        assert loaded_from(loaded.get_function(name)) == ("ahead", f"_Z{index}")
    loaded = kernels.Kernels(CuPy(), "hmm/cuda/kernels/kernels.cu", "90")
    assert loaded_from(loaded.get_function("pairhmm_single_4")) == ("ahead", "pairhmm_single_4")


@pytest.mark.parametrize(
    ("refused", "loaded"),
    [
        (("sm_89.cubin",), "sm_86.cubin"),
        ((".cubin",), "compute_80.ptx"),
        ((".cubin", ".ptx"), None),
    ],
)
def test_what_the_driver_refuses(folder, refused, loaded):
    """An older driver may not know what a newer compiler made."""
    cupy = CuPy(refused=refused)
    kernel = kernels.Kernels(cupy, "hmm/cuda/kernels/kernels.cu", "89").get_function(
        "pairhmm_single_4"
    )
    assert [path.split(".", 2)[2] for path in cupy.loaded] == ([loaded] if loaded else [])
    assert loaded_from(kernel) == ("ahead" if loaded else "now", "pairhmm_single_4")


def test_nothing_for_an_architecture_before_turing(folder):
    cupy = CuPy()
    module = kernels.Kernels(cupy, "hmm/cuda/kernels/kernels.cu", "70")
    for name in ("pairhmm_single_4", "pairhmm_double_4", "pairhmm_single_4"):
        assert loaded_from(module.get_function(name)) == ("now", name)
    assert cupy.compiled == [None]


def test_templates_are_compiled_as_they_are_wanted(folder):
    cupy = CuPy()
    module = kernels.Kernels(cupy, "prefilter/cuda/kernels.cu", "70")
    first, second = kernels.EXPRESSIONS["prefilter/cuda/kernels.cu"][:2]
    for name in (first, second, first):
        assert loaded_from(module.get_function(name)) == ("now", name)
    assert cupy.compiled == [(first,), (second,)]


def test_a_template_s_other_instance_is_compiled_when_wanted(folder):
    cupy = CuPy()
    module = kernels.Kernels(cupy, "prefilter/cuda/kernels.cu", "90")
    assert loaded_from(module.get_function("estimate<5>")) == ("now", "estimate<5>")
    assert cupy.compiled == [("estimate<5>",)]


@pytest.mark.parametrize("changed", ["hmm/cuda/kernels/kernels.cu", "hmm/cuda/kernels/model.h"])
def test_none_but_the_source_s_own_is_loaded(folder, changed):
    (folder / changed).write_text((folder / changed).read_text() + "changed\n")
    cupy = CuPy()
    module = kernels.Kernels(cupy, "hmm/cuda/kernels/kernels.cu", "90")
    assert loaded_from(module.get_function("pairhmm_single_4")) == ("now", "pairhmm_single_4")
    assert cupy.loaded == []


def test_options_are_part_of_the_fingerprint(folder, monkeypatch):
    before = kernels.fingerprint("hmm/cuda/kernels/kernels.cu")
    monkeypatch.setattr(kernels, "OPTIONS", (*kernels.OPTIONS, "-lineinfo"))
    assert kernels.fingerprint("hmm/cuda/kernels/kernels.cu") != before
