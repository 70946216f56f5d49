"""GKL_SHIM_RECORD: what is recorded, and where it can be written."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import stat
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.java import regions
from tests.java.conftest import SWAPS, Jvm, skip_unless_served

REGION = regions.typical(1)


@pytest.fixture(autouse=True)
def _served(request: pytest.FixtureRequest) -> None:
    if "swap" in request.fixturenames:
        skip_unless_served(request.getfixturevalue("swap"))


@pytest.fixture(scope="module")
def sample() -> list[regions.Region]:
    return [*regions.odd(), *(regions.typical(seed) for seed in range(5))]


@pytest.mark.parametrize("swap", SWAPS)
def test_every_region_is_recorded(
    jvm: Jvm, tmp_path: Path, sample: list[regions.Region], swap: str
) -> None:
    file = tmp_path / "out" / "traffic.in"
    file.parent.mkdir()
    file.write_text("an older one\n")
    setting = {"GKL_SHIM_RECORD": str(file)}
    outcome = jvm("compute", {"regions": sample}, swap=swap, environment=setting)
    assert file.read_text() == "".join(map(regions.recorded, sample))
    assert list(file.parent.iterdir()) == [file]
    high = sum(
        q & 127 > 93 for g in sample for r in g.reads for track in r.tracks()[1:] for q in track
    )
    assert high > 0
    assert outcome.line("every region is recorded").endswith(f"to {file}")
    line = outcome.line(f"{len(sample)} regions recorded")
    assert line.endswith(f"to {file} ({high} qualities above 93 written as 93)")


def test_regions_of_several_threads_do_not_mix(jvm: Jvm, tmp_path: Path) -> None:
    sample = [regions.typical(seed, reads=40, haplotypes=8, length=300) for seed in range(5)]
    file = tmp_path / "traffic.in"
    jvm("many_threads", sample, options=[f"-Dgkl.shim.record={file}"])
    left = file.read_text()
    counts = {}
    for region in map(regions.recorded, sample):
        counts[region[:50]] = left.count(region)
        left = left.replace(region, "")
    assert left == ""
    # Once in each precision, and six times in each of eight threads.
    assert list(counts.values()) == [2 + 6 * 8] * 5


class Recording:
    """Records one region to a file."""

    def __init__(self, jvm: Jvm) -> None:
        self._jvm = jvm

    def __call__(self, file: Path, regions_: int = 1, **options: bool) -> str:
        """Return what the log says about the recording. The run itself must succeed."""
        setting = {"GKL_SHIM_RECORD": str(file)}
        outcome = self._jvm(
            "compute", {"regions": [REGION] * regions_}, environment=setting, **options
        )
        assert len(outcome.result["likelihoods"]) == regions_
        lines = [line for line in outcome.ours if "record" in line.lower()]
        if not any("warning" in line for line in lines):
            assert f"every region is recorded to {file}" in lines[0]
        (line,) = lines[-1:]
        return line.split("] ", 1)[1]

    def refused(self, file: Path, reason: str, **options: bool) -> None:
        """Check that the log warns once, before the first region."""
        for count in (0, 1):
            said = self(file, count, **options)
            assert said == (
                f"warning: GKL_SHIM_RECORD: cannot write {file}: {reason}; "
                "the run goes on without recording"
            )


@pytest.fixture
def record(jvm: Jvm) -> Recording:
    return Recording(jvm)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def partials(folder: Path) -> list[Path]:
    return list(folder.glob(".gkl-shim.*.partial"))


def test_a_place_that_cannot_be_written_is_one_warning(record: Recording, folder: Path) -> None:
    kept = folder / "kept"
    kept.mkdir()
    record.refused(folder / "nowhere" / "traffic.in", "No such file or directory")
    record.refused(kept, "Is a directory")
    record.refused(folder / f"{'x' * 256}", "File name too long")
    loop = folder / "loop"
    loop.symlink_to("loop")
    record.refused(loop, os.strerror(errno.ELOOP))
    file = folder / "file"
    file.write_text("kept\n")
    record.refused(file / "traffic.in", "Not a directory")
    assert file.read_text() == "kept\n"
    assert sorted(folder.iterdir()) == [file, kept, loop]


def test_a_read_only_file_is_refused(record: Recording, folder: Path) -> None:
    """This also holds for root if it may not override permissions."""
    file = folder / "traffic.in"
    file.write_text("kept\n")
    file.chmod(0o444)
    record.refused(file, "Permission denied", obeys_permissions=True)
    assert file.read_text() == "kept\n"
    folder.chmod(0o555)
    record.refused(folder / "new.in", "Permission denied", obeys_permissions=True)
    folder.chmod(0o755)
    assert list(folder.iterdir()) == [file]


def device(folder: Path, minor: int) -> Path:
    """Make a copy of /dev/null (3) or /dev/full (7), so that no test replaces the real one."""
    path = folder / "device"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        path.open("wb").close()
    except OSError as error:
        pytest.skip(f"a device file cannot be made here: {error}")
    return path


def test_a_device_is_written_to_directly(record: Recording, folder: Path) -> None:
    null = device(folder, 3)
    link = folder / "link"
    link.symlink_to(null)
    for path in (null, link):
        assert record(path) == f"PairHMM: 1 region recorded to {path}"
        assert stat.S_ISCHR(null.stat().st_mode)
        assert sorted(folder.iterdir()) == [null, link]


def test_a_full_device_is_one_warning(record: Recording, folder: Path) -> None:
    full = device(folder, 7)
    said = record(full)
    assert f"cannot write {full}: No space left on device" in said
    assert stat.S_ISCHR(full.stat().st_mode)


@contextlib.contextmanager
def mounted(at: Path, *options: str) -> Iterator[None]:
    done = subprocess.run(["mount", *options, at], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", at], check=True)


def test_a_disk_that_fills_up_keeps_the_old_file(jvm: Jvm, folder: Path) -> None:
    region = regions.typical(1, reads=400, haplotypes=2, length=400)
    file = folder / "traffic.in"
    with mounted(folder, "-t", "tmpfs", "-o", "size=4m", "gkl-shim-test"):
        file.write_text("kept\n")
        setting = {"GKL_SHIM_RECORD": str(file)}
        outcome = jvm("compute", {"regions": [region] * 40}, environment=setting)
        assert file.read_text() == "kept\n"
        assert list(folder.iterdir()) == [file]
    said = outcome.line("warning")
    assert f"GKL_SHIM_RECORD: cannot write {file}: No space left on device" in said
    assert len(outcome.result["likelihoods"]) == 40


def test_a_mount_point_is_overwritten(record: Recording, folder: Path, tmp_path: Path) -> None:
    """Like a single file in a container: it can be written, but not replaced."""
    file, source = folder / "traffic.in", tmp_path / "source"
    file.touch()
    source.write_text("an older and longer one\n" * 10_000)
    with mounted(file, "--bind", str(source)):
        record(file)
        assert list(folder.iterdir()) == [file]
    assert source.read_text() == regions.recorded(REGION)


def test_a_pipe_needs_a_reader(record: Recording, folder: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    record.refused(pipe, "it is a pipe that nothing reads from; start what reads first")
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        record(pipe)
        assert reader.communicate(timeout=60)[0] == regions.recorded(REGION)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(folder.iterdir()) == [pipe]


def test_a_pipe_whose_reader_leaves_is_one_warning(record: Recording, folder: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: pipe.open("rb").close())
    reader.start()
    assert f"cannot write {pipe}: Broken pipe" in record(pipe)
    reader.join()


@pytest.mark.parametrize("exists", [True, False])
def test_symbolic_links_are_followed(record: Recording, folder: Path, exists: bool) -> None:
    target, middle, link = folder / "a" / "target", folder / "b" / "middle", folder / "link"
    for made in (target, middle):
        made.parent.mkdir()
    if exists:
        target.write_text("an older one\n")
        target.chmod(0o640)
    middle.symlink_to("../a/target")
    link.symlink_to(middle)
    record(link)
    assert link.is_symlink()
    assert middle.is_symlink()
    assert target.read_text() == regions.recorded(REGION)
    assert not exists or stat.S_IMODE(target.stat().st_mode) == 0o640
    assert [len(list(made.parent.iterdir())) for made in (target, middle, link)] == [1, 1, 3]


def test_a_link_that_the_kernel_refuses_is_not_followed(record: Recording, folder: Path) -> None:
    """It refuses links of other users in folders such as /tmp; this mount refuses all links."""
    with mounted(folder, "-t", "tmpfs", "-o", "nosymfollow", "gkl-shim-test"):
        target, link = folder / "target", folder / "link"
        target.write_text("kept\n")
        link.symlink_to(target)
        record.refused(link, os.strerror(errno.ELOOP))
        assert target.read_text() == "kept\n"
        assert sorted(folder.iterdir()) == [link, target]


def test_standard_output_can_be_recorded_to(jvm: Jvm, folder: Path) -> None:
    link = folder / "stdout"  # like /dev/stdout, which the test must not replace
    link.symlink_to("/proc/self/fd/1")
    outcome = jvm("compute", {"regions": [REGION]}, environment={"GKL_SHIM_RECORD": str(link)})
    assert regions.recorded(REGION) in outcome.log
    assert f"1 region recorded to {link}" in outcome.log
    assert list(folder.iterdir()) == [link]
    assert link.is_symlink()


@pytest.mark.parametrize("length", [245, 255])
def test_the_longest_names_can_be_written(record: Recording, folder: Path, length: int) -> None:
    file = folder / ("x" * length)
    record(file)
    assert file.read_text() == regions.recorded(REGION)
    assert list(folder.iterdir()) == [file]


def test_control_characters_of_a_name_are_escaped(jvm: Jvm, folder: Path) -> None:
    file = folder / "a\nb\033[2J.in"
    outcome = jvm("compute", {"regions": [REGION]}, environment={"GKL_SHIM_RECORD": str(file)})
    assert file.read_text() == regions.recorded(REGION)
    assert outcome.line("1 region recorded").endswith(f"{folder}/a\\x0ab\\x1b[2J.in")


def test_a_property_is_read_as_utf_8(jvm: Jvm, folder: Path) -> None:
    file = folder / "\N{DNA DOUBLE HELIX} \N{LATIN SMALL LETTER E WITH ACUTE}.in"
    option = f"-Dgkl.shim.record={file}"
    outcome = jvm(
        "compute", {"regions": [REGION]}, options=[option], environment={"LC_ALL": "C.UTF-8"}
    )
    assert outcome.line("1 region recorded").endswith(f"to {file}")
    assert list(folder.iterdir()) == [file]


@pytest.mark.parametrize(
    "wrong",
    [b"\xc0\x8a", b"\xe0\x81\x81", b"\xed\xa0\xbd", b"\xf0\x80\x80\x8a", b"\xf4\x90\x80\x80"],
)
def test_bytes_that_are_not_utf_8_are_escaped(jvm: Jvm, wrong: bytes) -> None:
    outcome = jvm(
        "compute", {"regions": [REGION]}, environment={"GKL_SHIM_BUILD": os.fsdecode(wrong)}
    )
    escaped = "".join(f"\\x{byte:02x}" for byte in wrong)
    assert f"GKL_SHIM_BUILD={escaped} is ignored" in outcome.line("GKL_SHIM_BUILD")


def test_no_region_leaves_the_file_unchanged(record: Recording, folder: Path) -> None:
    file = folder / "traffic.in"
    assert record(file, 0) == "PairHMM: 0 regions recorded"
    assert list(folder.iterdir()) == []
    file.write_text("an older one\n")
    record(file, 0)
    assert file.read_text() == "an older one\n"
    assert list(folder.iterdir()) == [file]


def test_a_record_that_grows_too_large_is_one_warning(jvm: Jvm) -> None:
    region = regions.typical(1, reads=400, haplotypes=2, length=400)
    outcome = jvm(
        "compute",
        {"regions": [region] * 40},
        environment={"GKL_SHIM_RECORD": str(jvm.temporary / "traffic.in")},
        file_size=4 << 20,
    )
    assert "GKL_SHIM_RECORD: cannot write" in outcome.line("warning")
    assert "File too large" in outcome.line("warning")
    assert len(outcome.result["likelihoods"]) == 40
    assert list(jvm.temporary.iterdir()) == []


def test_a_killed_process_leaves_no_incomplete_record(
    jvm: Jvm, record: Recording, folder: Path
) -> None:
    """The next run removes its file, but not the file of a process that still runs."""
    file = folder / "traffic.in"
    setting = {"GKL_SHIM_RECORD": str(file)}
    outcome = jvm("killed", REGION, environment=setting, succeeds=False)
    assert outcome.returncode == -signal.SIGKILL
    assert not file.exists()
    assert list(folder.iterdir()) == partials(folder)
    assert len(partials(folder)) == 1
    others = [folder / ".gkl-shim.1.x.partial", folder / ".gkl-shim.partial", folder / "x.partial"]
    for other in others:
        other.touch()
    used = folder / f".gkl-shim.{os.getpid()}.0.partial"
    with used.open("w") as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        record(file)
    assert sorted(folder.iterdir()) == sorted([file, used, *others])
