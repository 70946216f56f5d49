"""Output files are complete or absent: Python's (gkl_shim/common/_output_files.py), and the
bridge's in a JVM (kernels/jni/recording/output_file.cpp), which have the same rules.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pytest

from gkl_shim.common._output_files import atomic_output, check_outputs
from gkl_shim.common._take_name import move, move_folder
from gkl_shim.common._temporary import scratch
from tests.conftest import ROOT, missing, obey_permissions, require_tool

IN_PYTHON = """
import os, signal, sys
from gkl_shim.common._output_files import atomic_output
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    with atomic_output(sys.argv[1]) as file:
        file.write(sys.stdin.buffer.read())
        if sys.argv[2:]:
            os.kill(os.getpid(), signal.SIGKILL)
except OSError as error:
    sys.exit(error.strerror)
"""
CONTENT = b"all of it\n" * 1000
NOBODY = 65534


class Writer:
    """A program that writes one file."""

    def __init__(self, command: list[str]) -> None:
        self.command = command

    def run(
        self,
        path: Path,
        *options: str,
        content: bytes = CONTENT,
        prepare: Callable[[], object] | None = None,
        stdout: object = subprocess.PIPE,
    ) -> subprocess.CompletedProcess[bytes]:
        command = [*self.command, str(path), *options]
        return subprocess.run(command, input=content, stdout=stdout, stderr=subprocess.PIPE,
                              preexec_fn=prepare, timeout=60, check=False)  # fmt: skip

    def __call__(self, path: Path, **options: object) -> bytes:
        """Write the file, and return what went to standard output."""
        done = self.run(path, **options)  # type: ignore[arg-type]
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    def refused(self, path: Path, **options: object) -> str:
        """Return the reason why the file cannot be written."""
        done = self.run(path, **options)  # type: ignore[arg-type]
        assert done.returncode == 1
        return done.stderr.decode().removesuffix("\n")


@pytest.fixture(scope="module")
def in_a_jvm(tmp_path_factory: pytest.TempPathFactory) -> Writer:
    program = tmp_path_factory.mktemp("output") / "output_file"
    sources = [
        Path(__file__).with_name("output_file.cpp"),
        ROOT / "kernels/jni/recording/output_file.cpp",
    ]
    flags = ["-std=gnu++17", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-g"]
    command = [require_tool("c++"), *flags, f"-I{ROOT / 'kernels'}", *map(str, sources)]
    subprocess.run([*command, "-o", str(program)], check=True)
    return Writer([str(program)])


@pytest.fixture(params=["python", "jvm"])
def write(request: pytest.FixtureRequest) -> Writer:
    if request.param == "python":
        return Writer([sys.executable, "-c", IN_PYTHON])
    found: Writer = request.getfixturevalue("in_a_jvm")
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@functools.cache
def refusal_of_mounts() -> str:
    """Return why nothing can be mounted here, as in most containers, or nothing."""
    with tempfile.TemporaryDirectory() as at:
        trial = ["sh", "-c", 'mount -t tmpfs gkl-shim-test "$0" && umount "$0"', at]
        done = subprocess.run(trial, capture_output=True, text=True, check=False)
        return done.stderr.strip() if done.returncode else ""


@contextlib.contextmanager
def mounted(at: Path, *options: str) -> Iterator[None]:
    if refusal_of_mounts():
        pytest.skip(f"nothing can be mounted here: {refusal_of_mounts()}")
    done = subprocess.run(["mount", *options, at], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        missing(f"this cannot be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", at], check=True)


def device(folder: Path, minor: int) -> Path:
    """Make a copy of /dev/null (3) or /dev/full (7), so that no test replaces the real one."""
    path = folder / "device"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        path.open("wb").close()
    except PermissionError as error:
        pytest.skip(f"a device file cannot be made here: {error}")
    return path


@pytest.mark.parametrize("length", [1, 245, 255])
def test_a_new_file(write: Writer, folder: Path, length: int) -> None:
    file = folder / ("x" * length)
    write(file, prepare=lambda: os.umask(0o026))
    assert file.read_bytes() == CONTENT
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert list(folder.iterdir()) == [file]


def test_a_file_that_is_replaced(write: Writer, folder: Path) -> None:
    """Its mode and owner stay, and another hard link keeps the old content."""
    file, other = folder / "file", folder / "other"
    file.write_bytes(b"before")
    other.hardlink_to(file)
    if os.geteuid() == 0:
        os.chown(file, NOBODY, NOBODY)
    file.chmod(0o646)
    before = file.stat()
    write(file, prepare=lambda: os.umask(0o026))
    assert (file.read_bytes(), other.read_bytes()) == (CONTENT, b"before")
    state = file.stat()
    assert (state.st_mode, state.st_uid, state.st_gid) == (
        before.st_mode, before.st_uid, before.st_gid
    )  # fmt: skip
    assert sorted(folder.iterdir()) == [file, other]


@pytest.mark.parametrize("exists", [True, False])
def test_symbolic_links_are_followed(write: Writer, folder: Path, exists: bool) -> None:
    target, middle, link = folder / "a" / "target", folder / "b" / "middle", folder / "link"
    for made in (target, middle):
        made.parent.mkdir()
    if exists:
        target.write_text("an older one\n")
    middle.symlink_to("../a/target")
    link.symlink_to(middle)
    write(link)
    assert link.is_symlink()
    assert middle.is_symlink()
    assert target.read_bytes() == CONTENT
    assert [len(list(made.parent.iterdir())) for made in (target, middle, link)] == [1, 1, 3]


@pytest.mark.parametrize(
    ("place", "error"),
    [
        ("absent/file", errno.ENOENT),
        (".", errno.EISDIR),
        ("file/file", errno.ENOTDIR),
        ("loop", errno.ELOOP),
        ("x" * 256, errno.ENAMETOOLONG),
    ],
)
def test_a_place_that_cannot_be_written(
    write: Writer, folder: Path, place: str, error: int
) -> None:
    (folder / "loop").symlink_to("loop")
    (folder / "file").write_bytes(b"kept")
    assert write.refused(folder / place) == os.strerror(error)
    assert (folder / "file").read_bytes() == b"kept"
    assert sorted(path.name for path in folder.iterdir()) == ["file", "loop"]


def test_permissions_are_obeyed(write: Writer, folder: Path) -> None:
    file = folder / "file"
    file.write_bytes(b"kept")
    file.chmod(0o444)
    refused = os.strerror(errno.EACCES)
    assert write.refused(file, prepare=obey_permissions) == refused
    folder.chmod(0o555)
    assert write.refused(folder / "new", prepare=obey_permissions) == refused
    folder.chmod(0o755)
    assert file.read_bytes() == b"kept"
    assert list(folder.iterdir()) == [file]


@pytest.mark.parametrize("minor", [3, 7])
def test_a_device_is_written_to_directly(write: Writer, folder: Path, minor: int) -> None:
    path = device(folder, minor)
    link = folder / "link"
    link.symlink_to(path)
    for name in (path, link):
        if minor == 3:
            write(name)
        else:
            assert write.refused(name) == os.strerror(errno.ENOSPC)
        assert stat.S_ISCHR(path.stat().st_mode)
        assert sorted(folder.iterdir()) == [path, link]


@pytest.mark.parametrize("limit", ["disk", "process"])
def test_a_file_that_finds_no_room_leaves_the_old_one(
    write: Writer, folder: Path, limit: str
) -> None:
    def prepare() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        if limit == "process":
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))

    file = folder / "file"
    disk = mounted(folder, "-t", "tmpfs", "-o", "size=64k", "gkl-shim-test")
    with disk if limit == "disk" else contextlib.nullcontext():
        file.write_bytes(b"kept")
        reason = write.refused(file, content=bytes(1 << 20), prepare=prepare)
        assert reason == os.strerror(errno.ENOSPC if limit == "disk" else errno.EFBIG)
        assert file.read_bytes() == b"kept"
        assert list(folder.iterdir()) == [file]


def test_a_mount_point_is_overwritten(write: Writer, folder: Path, tmp_path: Path) -> None:
    """Like a single file in a container: it can be written, but not replaced."""
    file, source = folder / "file", tmp_path / "source"
    file.touch()
    source.write_bytes(CONTENT * 100)
    with mounted(file, "--bind", str(source)):
        write(file)
        assert list(folder.iterdir()) == [file]
    assert source.read_bytes() == CONTENT


class Refusal(NamedTuple):
    """System calls that fail, and what becomes of a complete result."""

    calls: str
    """As for ``refused_calls.c``, with names of errors."""
    new: str
    """``made``, ``lost``, ``kept`` as .complete or ``partial``, of an output that is new."""
    replaced: str
    """The same of an output that exists."""


#: The rules of all output of gkl-shim, in Python and in a JVM.
REFUSALS = [
    *(
        Refusal(f"rename={name}", "made", "made")
        for name in ("ENOSYS", "ETXTBSY", "EACCES", "EBUSY", "EPERM", "EINVAL", "EOPNOTSUPP",
                     "EROFS", "EXDEV", "EIO", "ENOSPC")
    ),
    *(Refusal(f"fsync={name}", "made", "made")
      for name in ("EINVAL", "ENOSYS", "EOPNOTSUPP", "EROFS")),
    # What was written is not all on the disk.
    *(Refusal(f"fsync={name}@1-1", "lost", "lost") for name in ("EIO", "ENOSPC", "EDQUOT")),
    *(Refusal(f"fsync={name}@1-1", "made", "made") for name in ("EACCES", "EBUSY", "EPERM")),
    *(Refusal(f"fsync={name}", "kept", "kept") for name in ("EACCES", "EBUSY", "EPERM")),
    Refusal("rename=ENOSYS@1-1,fsync=ENOSPC@2", "kept", "kept"),
    Refusal("rename=ENOSYS,fsync=ENOSPC@2-2", "kept", "kept"),
    Refusal("rename=ENOSYS,fsync=ENOSPC@2", "partial", "partial"),
]  # fmt: skip


@pytest.fixture(scope="module")
def refused_calls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("refused") / "refused_calls.so"
    source = Path(__file__).with_name("refused_calls.c")
    subprocess.run([require_tool("cc"), "-shared", "-fPIC", "-o", made, source, "-ldl"], check=True)
    return made


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.calls)
def test_a_complete_result_outlives_what_the_system_refuses(
    write: Writer,
    folder: Path,
    refused_calls: Path,
    monkeypatch: pytest.MonkeyPatch,
    refusal: Refusal,
    exists: bool,
) -> None:
    """As object stores that are mounted as folders, and shared folders of virtual machines."""
    file = folder / "file"
    if exists:
        file.write_bytes(b"before")
        file.chmod(0o646)
    calls = re.sub(r"E[A-Z]+", lambda name: str(getattr(errno, name[0])), refusal.calls)
    monkeypatch.setenv("REFUSE", calls)
    monkeypatch.setenv("LD_PRELOAD", str(refused_calls))
    monkeypatch.setenv("ASAN_OPTIONS", "verify_asan_link_order=0")
    outcome = refusal.replaced if exists else refusal.new
    if outcome == "made":
        write(file, prepare=lambda: os.umask(0o026))
        assert file.read_bytes() == CONTENT
        assert stat.S_IMODE(file.stat().st_mode) == (0o646 if exists else 0o640)
        assert list(folder.iterdir()) == [file]
        return
    reason = write.refused(file)
    last = re.findall(r"fsync=(E[A-Z]+)", refusal.calls)[-1]
    error = os.strerror(getattr(errno, last))
    if outcome == "lost":
        assert reason == error
        assert list(folder.iterdir()) == ([file] if exists else [])
        assert not exists or file.read_bytes() == b"before"
        return
    (kept,) = folder.glob(".gkl-shim.*")
    assert kept.suffix == {"kept": ".complete", "partial": ".partial"}[outcome]
    assert kept.read_bytes() == CONTENT
    changed = "this file may be incomplete now, and " if exists else ""
    assert reason == f"{error}; {changed}{kept} has the complete result"
    assert file.exists() == exists
    if outcome == "kept":  # no later run takes it for a leftover
        monkeypatch.delenv("REFUSE")
        write(folder / "other")
        assert kept.read_bytes() == CONTENT


def refuse(error: int) -> Callable[..., None]:
    def refused(*_: object) -> None:
        raise OSError(error, os.strerror(error))

    return refused


def refuse_renames(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("replace", "rename"):
        monkeypatch.setattr(Path, name, refuse(errno.ENOSYS))


def test_a_file_that_cannot_be_renamed_is_moved(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an archive for Java. A program that has mapped the one before keeps its content."""
    refuse_renames(monkeypatch)
    target = folder / "target"
    target.write_bytes(b"before")
    with scratch(folder) as partial, target.open("rb") as mapped:
        new = partial / "new"
        new.write_bytes(CONTENT)
        new.chmod(0o755)
        move(new, target)
        assert mapped.read() == b"before"
    assert target.read_bytes() == CONTENT
    assert stat.S_IMODE(target.stat().st_mode) == 0o755
    assert list(folder.iterdir()) == [target]


@pytest.mark.parametrize("full", [False, True])
def test_a_folder_that_cannot_be_renamed_is_moved(
    folder: Path, monkeypatch: pytest.MonkeyPatch, full: bool
) -> None:
    """As the results of a run of GATK."""
    refuse_renames(monkeypatch)
    target = folder / "target"

    with contextlib.ExitStack() as stack:
        partial = stack.enter_context(scratch(folder))
        made = partial / "results"
        made.mkdir()
        (made / "file").write_bytes(CONTENT)
        if full:
            told = f"; {made} has the complete result"
            before = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4, before[1]))
            stack.callback(resource.setrlimit, resource.RLIMIT_FSIZE, before)
            with pytest.raises(OSError, match=re.escape(told)):
                move_folder(made, partial, target)
        else:
            move_folder(made, partial, target)
    kept = made if full else target
    assert (kept / "file").read_bytes() == CONTENT
    assert list(folder.iterdir()) == [partial if full else target]


def test_a_signal_during_the_copy_leaves_the_complete_result(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def copy(_: object, target: BinaryIO) -> None:
        target.write(CONTENT[:5])
        raise SystemExit(143)

    file = folder / "file"
    file.write_bytes(b"before")
    monkeypatch.setattr(shutil, "copyfileobj", copy)
    monkeypatch.setattr(Path, "replace", refuse(errno.EBUSY))
    said = f"this file may be incomplete now, and {folder}/.*complete has the complete result"
    with (
        pytest.warns(UserWarning, match=said),
        pytest.raises(SystemExit, match="143"),
        atomic_output(file) as stream,
    ):
        stream.write(CONTENT)
    assert file.read_bytes() == CONTENT[:5]
    (kept,) = folder.glob(".gkl-shim.*.complete")
    assert kept.read_bytes() == CONTENT
    assert len(list(folder.iterdir())) == 2


def test_a_link_in_place_of_the_output_is_not_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user may make one in /tmp, between the first look at the file and the last write."""
    file = folder / "file"
    file.write_bytes(b"before")

    def exchange(*_: object) -> None:
        file.rename(folder / "moved")
        file.symlink_to("moved")
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(Path, "replace", exchange)
    with pytest.raises(OSError, match=os.strerror(errno.ELOOP)), atomic_output(file) as stream:
        stream.write(CONTENT)
    assert file.read_bytes() == b"before"
    (kept,) = folder.glob(".gkl-shim.*.complete")
    assert kept.read_bytes() == CONTENT
    assert sorted(folder.iterdir()) == [kept, file, folder / "moved"]


def test_a_file_of_another_user_in_a_shared_folder_is_overwritten(
    write: Writer, folder: Path
) -> None:
    """As in /tmp: it can be written, but not replaced."""
    if os.geteuid() != 0:
        pytest.skip("only root can make files of another user")
    file = folder / "file"
    file.write_bytes(CONTENT * 100)
    file.chmod(0o666)
    folder.chmod(0o1777)
    for path in (file, folder):
        os.chown(path, NOBODY, NOBODY)
    write(file, prepare=obey_permissions)
    assert file.read_bytes() == CONTENT
    assert file.stat().st_uid == NOBODY
    assert list(folder.iterdir()) == [file]


def test_a_pipe(write: Writer, folder: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        # The bridge does not wait for a reader. This open() waits for cat to open the pipe, and cat
        # reads until no writer is left.
        writer = os.open(pipe, os.O_WRONLY)
        write(pipe)
        os.close(writer)
        assert reader.communicate(timeout=60)[0] == CONTENT
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(folder.iterdir()) == [pipe]


def test_a_pipe_whose_reader_leaves(write: Writer, folder: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: pipe.open("rb").close())
    reader.start()
    reason = write.refused(
        pipe, content=bytes(1 << 20), prepare=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    )
    assert reason == os.strerror(errno.EPIPE)
    reader.join()


def test_in_a_jvm_a_pipe_needs_a_reader(in_a_jvm: Writer, folder: Path) -> None:
    """A run of GATK does not wait."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    reason = "it is a pipe that nothing reads from; start what reads first"
    assert in_a_jvm.refused(pipe) == reason


def test_standard_output_by_name_is_appended_to(write: Writer, folder: Path) -> None:
    link, log = folder / "stdout", folder / "log"
    link.symlink_to("/proc/self/fd/1")  # like /dev/stdout, which the test must not replace
    assert write(link) == CONTENT
    log.write_bytes(b"before\n")
    with log.open("ab") as output:
        assert write.run(link, stdout=output).returncode == 0
    assert log.read_bytes() == b"before\n" + CONTENT
    assert sorted(folder.iterdir()) == [log, link]
    assert link.is_symlink()


def test_two_processes_write_to_one_folder(write: Writer, folder: Path) -> None:
    """Neither takes the other's file for one that was left."""
    one, other = folder / "one", folder / "other"
    with subprocess.Popen([*write.command, one], stdin=subprocess.PIPE) as first:
        assert first.stdin is not None
        first.stdin.write(CONTENT)
        first.stdin.flush()
        while not list(folder.iterdir()):
            assert first.poll() is None
            time.sleep(0.01)
        write(other)
        assert len(list(folder.iterdir())) == 2
    assert first.returncode == 0
    assert one.read_bytes() == other.read_bytes() == CONTENT


def test_a_killed_process_leaves_no_incomplete_file(write: Writer, folder: Path) -> None:
    """The next one removes what is left, but not the file of a process that still runs."""
    file = folder / "file"
    assert write.run(file, "killed").returncode == -signal.SIGKILL
    (left,) = folder.iterdir()
    assert left.match(".gkl-shim.*.partial")
    others = [folder / ".gkl-shim.1.x.partial", folder / ".gkl-shim.partial", folder / "x.partial"]
    for other in others:
        other.touch()
    used = folder / f".gkl-shim.{os.getpid()}.0.partial"
    with used.open("w") as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        write(file)
    assert sorted(folder.iterdir()) == sorted([file, used, *others])


@pytest.mark.parametrize("fault", [OSError, KeyboardInterrupt, SystemExit])
def test_a_failure_keeps_the_old_content(tmp_path: Path, fault: type[BaseException]) -> None:
    target = tmp_path / "out.txt"
    target.write_bytes(b"before")
    with pytest.raises(fault), atomic_output(target) as file:
        file.write(b"half")
        raise fault
    assert target.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [target]


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
