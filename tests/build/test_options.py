"""The options of the build: missing parts, and where NVRTC is found."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import subprocess
import venv
from pathlib import Path

import pytest

from gkl_shim.cuda import kernels
from tests.conftest import ROOT, missing, require_tool


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory) -> Path:
    """A Python without any package."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    return folder / "bin" / "python"


def environment(**changed: str) -> dict[str, str]:
    spoiling = ("CC", "CXX", "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX", "PREFIX", "PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if name not in spoiling}
    return {**kept, **changed}


def configure(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Configure a build without trying the compiler."""
    command = [require_tool("cmake"), "-S", ROOT, "-B", folder, *options]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    # CMake breaks the lines of its errors.
    done.stderr = " ".join(done.stderr.split())
    return done


NO_JDK = "-DCMAKE_DISABLE_FIND_PACKAGE_Java=ON"


def test_auto_leaves_out_a_missing_part_and_says_why(tmp_path, bare_python):
    done = configure(tmp_path, NO_JDK, "-DSKBUILD=2", f"-DPython3_EXECUTABLE={bare_python}")
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if "Building without" in line]
    assert lines[0] == "-- Building without the bridge for GATK: no JDK is found"
    assert lines[-1] == "-- Building without the jar for GATK: no JDK is found"
    cubins = "-- Building without compiled CUDA kernels: "
    assert lines[1].startswith((f"{cubins}there is no NVIDIA GPU here", f"{cubins}no NVRTC for "))
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-DGKL_SHIM_JAR=ON", NO_JDK], "GKL_SHIM_JAR is ON, but no JDK is found"),
        (["-DGKL_SHIM_CUBINS=ON"], "GKL_SHIM_CUBINS is ON, but only the Python package holds"),
        (["-DGKL_SHIM_CUBINS=ON", "-DSKBUILD=2"],
         "GKL_SHIM_CUBINS is ON, but no NVRTC for sm_75 sm_80"),
        (["-DGKL_SHIM_ALL_PLATFORMS=ON"],
         "GKL_SHIM_ALL_PLATFORMS is ON, but the Python package ziglang is missing"),
        (["-DGKL_SHIM_ALL_PLATFORMS=ON", NO_JDK],
         "GKL_SHIM_ALL_PLATFORMS is ON, but no JDK is found"),
        (["-DGKL_SHIM_ALL_PLATFORMS=ON", "-DGKL_SHIM_WHEEL_ARCH=arm64"],
         "GKL_SHIM_WHEEL_ARCH is arm64, not x86_64 or aarch64"),
        (["-DGKL_SHIM_WHEEL_ARCH=aarch64", "-DSKBUILD=2"],
         "GKL_SHIM_WHEEL_ARCH is aarch64, but GKL_SHIM_ALL_PLATFORMS is OFF"),
    ],
)  # fmt: skip
def test_a_requested_part_that_is_missing_fails_the_build(tmp_path, bare_python, options, message):
    require_tool("javac")
    python = f"-DPython3_EXECUTABLE={bare_python}"
    done = configure(tmp_path, python, *options)
    assert done.returncode == 1
    assert message in done.stderr


def test_the_version_is_written_once(tmp_path):
    version = importlib.metadata.version("gkl-shim")
    configure(tmp_path, "-DGKL_SHIM_JAR=OFF")
    cache = (tmp_path / "CMakeCache.txt").read_text()
    assert f"CMAKE_PROJECT_VERSION:STATIC={version}\n" in cache
    for path in (ROOT / "CMakeLists.txt", *(ROOT / "cmake").iterdir()):
        assert version not in path.read_text(), path


@pytest.mark.parametrize(
    ("variable", "place"),
    [
        ("CUDA_HOME", "lib64"),
        ("CUDA_PATH", "targets/x86_64-linux/lib"),
        ("CONDA_PREFIX", "lib"),
        ("PREFIX", "targets/sbsa-linux/lib"),
    ],
)
def test_nvrtc_is_found_in_a_toolkit_and_in_conda(tmp_path, bare_python, variable, place):
    found = importlib.util.find_spec("nvidia")
    libraries = [
        path
        for folder in (found.submodule_search_locations if found else ())
        for path in Path(folder).glob("*/lib/libnvrtc*.so.*")
    ]
    if not libraries:
        missing("NVRTC is not installed (pip install nvidia-cuda-nvrtc==13.0.*)")
    folder = tmp_path / place
    folder.mkdir(parents=True)
    for path in libraries:
        (folder / path.name).symlink_to(path)

    def nvrtc(*targets: str, **changed: str) -> str:
        command = [bare_python, ROOT / "cmake" / "cubins.py", "nvrtc", *targets]
        done = subprocess.run(
            command, env=environment(**changed), check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout.strip()

    wanted = [f"sm_{number}" for number in kernels.ARCHITECTURES]
    prefix = {variable: str(tmp_path)}
    assert nvrtc(*wanted, **prefix) == str(folder / "libnvrtc.so.13")
    assert nvrtc(*wanted, "sm_35", **prefix) == ""


def test_zig_of_the_working_directory_is_not_used(tmp_path, bare_python):
    (tmp_path / "ziglang.py").write_text("")
    command = [bare_python, ROOT / "cmake" / "zig.py", tmp_path / "zig"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "the Python package ziglang is missing\n")


def test_auto_compiles_for_the_gpus_of_this_machine(bare_python):
    command = [bare_python, ROOT / "cmake" / "cubins.py", "targets", "present"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    if not Path("/proc/driver/nvidia").exists():
        assert done.stdout == "\n"
    else:
        assert set(done.stdout.strip().split(";")) <= {
            *(f"sm_{number}" for number in kernels.ARCHITECTURES),
            f"compute_{kernels.PTX_ARCHITECTURE}",
        }
