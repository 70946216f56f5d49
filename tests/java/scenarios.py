"""The scenarios that tests run inside a JVM. `conftest.Jvm` starts a process for each.

    python -m tests.java.scenarios SCENARIO ARGUMENT RESULT CLASSPATH JVM-OPTIONS...

ARGUMENT and RESULT are files, pickled.
"""

from __future__ import annotations

import contextlib
import ctypes
import pickle
import resource
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jpype
import numpy as np

from tests.java.regions import Region

_BINDINGS = "org.broadinstitute.gatk.nativebindings.pairhmm."
LONGEST_READ = 1 << 20  # as gkl_shim.h says
_TRACKS = ("readBases", "readQuals", "insertionGOP", "deletionGOP", "overallGCP")

SCENARIOS: dict[str, Callable[[Any], Any]] = {}


def scenario(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    SCENARIOS[function.__name__] = function
    return function


class PairHmm:
    """A native PairHMM, called as GATK calls it: one of GKL's classes, or another one."""

    def __init__(
        self,
        *,
        double: bool = False,
        threads: int = 4,
        name: str = "IntelPairHmmOMP",
        loader: Any = None,
    ) -> None:
        self._loader = loader
        full = name if "." in name else "com.intel.gkl.pairhmm." + name
        self.instance = self._class(full)()
        self.loaded = bool(self.instance.load(None))
        assert self.loaded
        self.initialize(double, threads)

    def _class(self, name: str) -> Any:
        return jpype.JClass(name, loader=self._loader)

    def initialize(self, double: bool, threads: int) -> None:
        arguments = self._class(_BINDINGS + "PairHMMNativeArguments")()
        arguments.useDoublePrecision = double
        arguments.maxNumberOfThreads = threads
        self.instance.initialize(arguments)

    def reads(self, region: Region) -> Any:
        holder = self._class(_BINDINGS + "ReadDataHolder")
        holders = []
        for read in region.reads:
            held = holder()
            for name, track in zip(_TRACKS, read.tracks(), strict=True):
                setattr(held, name, java_bytes(track))
            holders.append(held)
        return _array(holder, holders)

    def haplotypes(self, region: Region) -> Any:
        holder = self._class(_BINDINGS + "HaplotypeDataHolder")
        holders = []
        for haplotype in region.haplotypes:
            held = holder()
            held.haplotypeBases = java_bytes(haplotype)
            holders.append(held)
        return _array(holder, holders)

    def compute(self, region: Region) -> list[float]:
        output = java_doubles(len(region.reads) * len(region.haplotypes))
        self.instance.computeLikelihoods(self.reads(region), self.haplotypes(region), output)
        return [float(value) for value in output]

    @property
    def is_ours(self) -> bool:
        parent = self._class("com.intel.gkl.pairhmm.IntelPairHmm").class_
        names = {str(method.getName()) for method in parent.getDeclaredMethods()}
        return "computeLikelihoodsNative" not in names


def _array(holder: Any, holders: list[Any]) -> Any:
    # By reflection, because JPype's arrays have types of the application's class loader.
    reflect = jpype.JClass("java.lang.reflect.Array")
    array = reflect.newInstance(holder.class_, len(holders))
    for index, held in enumerate(holders):
        reflect.set(array, index, held)
    return array


def java_bytes(content: bytes) -> Any:
    return jpype.JArray(jpype.JByte)(np.frombuffer(content, np.int8))


def java_doubles(size: int) -> Any:
    return jpype.JArray(jpype.JDouble)(size)


@scenario
def several(arguments: dict[str, Any]) -> dict[str, Any]:
    """Run scenarios, one after another, and return their results by name."""
    return {name: SCENARIOS[name](argument) for name, argument in arguments.items()}


@scenario
def compute(argument: dict[str, Any]) -> dict[str, Any]:
    """Return the likelihoods of all regions, and whether our classes computed them."""
    regions = argument.pop("regions")
    pairhmm = PairHmm(**argument)
    results = [pairhmm.compute(region) for region in regions]
    return {"likelihoods": results, "ours": pairhmm.is_ours}


@scenario
def errors(region: Region) -> dict[str, tuple[str, str]]:
    """Return the exception of each wrong call. Then a correct call must still work."""
    return errors_of(PairHmm(), region)


class Attempts:
    """Makes calls, and keeps the class and the message of each Java exception by name."""

    def __init__(self) -> None:
        self.caught: dict[str, tuple[str, str]] = {}

    def __call__(self, name: str, call: Any, *arguments: Any) -> None:
        try:
            call(*arguments)
        except jpype.JException as error:
            self.caught[name] = (str(error.getClass().getName()), str(error.getMessage()))


def errors_of(pairhmm: PairHmm, region: Region) -> dict[str, tuple[str, str]]:
    expected = pairhmm.compute(region)
    reads, haplotypes = pairhmm.reads, pairhmm.haplotypes
    pairs = len(region.reads) * len(region.haplotypes)
    attempts = Attempts()

    def attempt(name: str, reads: Any, haplotypes: Any, output: Any) -> None:
        attempts(name, pairhmm.instance.computeLikelihoods, reads, haplotypes, output)

    def spoiled_reads(index: int, name: str, value: Any) -> Any:
        result = reads(region)
        setattr(result[index], name, value)
        return result

    output = java_doubles(pairs)
    attempt("null reads", None, haplotypes(region), output)
    attempt("null haplotypes", reads(region), None, output)
    attempt("null output", reads(region), haplotypes(region), None)
    with_null = reads(region)
    with_null[1] = None
    attempt("null read", with_null, haplotypes(region), output)
    with_null = haplotypes(region)
    with_null[1] = None
    attempt("null haplotype", reads(region), with_null, output)
    for name in _TRACKS:
        attempt(f"null {name}", spoiled_reads(1, name, None), haplotypes(region), output)
        for change, wrong in (("long", b"A" * 400), ("short", b"A")):
            spoiled = spoiled_reads(1, name, java_bytes(wrong))
            attempt(f"{change} {name}", spoiled, haplotypes(region), output)
    with_null = haplotypes(region)
    with_null[1].haplotypeBases = None
    attempt("null haplotypeBases", reads(region), with_null, output)
    attempt(
        "empty read", spoiled_reads(0, "readBases", java_bytes(b"")), haplotypes(region), output
    )
    beyond = reads(region)
    for name in _TRACKS:
        setattr(beyond[1], name, java_bytes(b"A" * (LONGEST_READ + 1)))
    attempt("read beyond the limit", beyond, haplotypes(region), output)
    empty = haplotypes(region)
    empty[1].haplotypeBases = java_bytes(b"")
    attempt("empty haplotype", reads(region), empty, output)
    attempt("short output", reads(region), haplotypes(region), java_doubles(pairs - 1))

    longer = java_doubles(pairs + 2)
    longer[pairs] = longer[pairs + 1] = 7.0
    attempt("longer output", reads(region), haplotypes(region), longer)
    assert list(longer) == [*expected, 7.0, 7.0]
    untouched = java_doubles(1)
    untouched[0] = 7.0
    attempt("no reads", reads(Region([], [])), haplotypes(region), untouched)
    attempt("no haplotypes", reads(region), haplotypes(Region([], [])), untouched)
    assert list(untouched) == [7.0]
    assert pairhmm.compute(region) == expected
    return attempts.caught


@scenario
def out_of_memory(argument: tuple[Region, list[Region], list[int]]) -> list[list[str]]:
    """Return the exceptions of large regions by memory limit. Small regions must work."""
    small, large, rooms = argument
    pairhmm = PairHmm(threads=2)
    expected = pairhmm.compute(small)
    reads, haplotypes = pairhmm.reads(small), pairhmm.haplotypes(small)
    output = java_doubles(len(expected))
    caught: list[list[str]] = []
    for region in large:
        given = pairhmm.reads(region), pairhmm.haplotypes(region)
        results = java_doubles(len(region.reads) * len(region.haplotypes))
        caught.append([])
        for room in rooms:
            with little_memory(room):
                try:
                    pairhmm.instance.computeLikelihoods(*given, results)
                    caught[-1].append("")
                except jpype.JException as error:
                    caught[-1].append(str(error.getClass().getName()))
                pairhmm.instance.computeLikelihoods(reads, haplotypes, output)
            assert list(output) == expected
            output[:] = [0.0] * len(expected)
    return caught


@contextlib.contextmanager
def little_memory(room: int) -> Iterator[None]:
    """Limit the address space of the process to this many bytes more than it has now."""
    with Path("/proc/self/statm").open() as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (now + room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@scenario
def uninitialized(region: Region) -> str:
    """Return the exception of computing without initialize."""
    instance = jpype.JClass("com.intel.gkl.pairhmm.IntelPairHmmOMP")()
    assert instance.load(None)
    helper = PairHmm.__new__(PairHmm)
    helper._loader = None
    try:
        instance.computeLikelihoods(
            helper.reads(region), helper.haplotypes(region), java_doubles(1000)
        )
    except jpype.JException as error:
        return str(error.getMessage())
    return ""


@scenario
def many_threads(regions: list[Region]) -> dict[str, Any]:
    """Run eight threads, each with an engine that it sometimes closes, half of them in double."""
    expected = {
        double: [PairHmm(double=double).compute(region) for region in regions]
        for double in (False, True)
    }
    wrong: list[str] = []
    finished: list[int] = []

    def work(number: int) -> None:
        double = number % 2 == 1
        for turn in range(6):
            pairhmm = PairHmm(double=double, threads=1 + (number + turn) % 4)
            for k in range(len(regions)):
                index = (k + number) % len(regions)
                if pairhmm.compute(regions[index]) != expected[double][index]:
                    wrong.append(f"thread {number}, region {index}")
            if turn % 2:
                pairhmm.instance.done()
        finished.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"wrong": wrong, "finished": len(finished), "differ": expected[False] != expected[True]}


@scenario
def one_for_all(regions: list[Region]) -> bool:
    """Let several threads share one instance."""
    pairhmm = PairHmm()
    expected = [pairhmm.compute(region) for region in regions]
    same: list[bool] = []

    def work() -> None:
        for _ in range(5):
            same.append([pairhmm.compute(region) for region in regions] == expected)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(same) == 20 and all(same)


@scenario
def done(region: Region) -> dict[str, Any]:
    """Call done() on one of two instances that differ in precision."""
    single, double = PairHmm(double=False), PairHmm(double=True)
    before = single.compute(region), double.compute(region)
    single.instance.done()
    after = single.compute(region), double.compute(region)
    return {"before": before, "after": after}


@scenario
def class_loaders(argument: tuple[Region, list[str]]) -> list[tuple[list[float], bool]]:
    """Compute in several class loaders, one of which does not delegate to the application's."""
    region, jars = argument
    files = [jpype.JClass("java.io.File")(jar).toURI().toURL() for jar in jars]
    urls = jpype.JArray(jpype.JClass("java.net.URL"))(files)
    loader_class = jpype.JClass("java.net.URLClassLoader")
    system = jpype.JClass("java.lang.ClassLoader").getSystemClassLoader()
    results = []
    for parent in (system.getParent(), system.getParent(), None):
        pairhmm = PairHmm(loader=loader_class(urls, parent))
        results.append((pairhmm.compute(region), pairhmm.is_ours))
    pairhmm = PairHmm()
    results.append((pairhmm.compute(region), pairhmm.is_ours))
    return results


@scenario
def surface(region: Region) -> dict[str, Any]:
    """Return what other code sees of the classes, and of GKL's subclass of one of them."""
    result: dict[str, Any] = {}
    public = jpype.JClass("java.lang.reflect.Modifier").isPublic
    for name in ("IntelPairHmm", "IntelPairHmmOMP", "IntelPairHmmFpga"):
        class_ = jpype.JClass("com.intel.gkl.pairhmm." + name).class_
        members = [*class_.getDeclaredConstructors(), *class_.getDeclaredMethods()]
        result[name] = {
            "superclass": str(class_.getSuperclass().getName()),
            "interfaces": sorted(str(i.getName()) for i in class_.getInterfaces()),
            "modifiers": int(class_.getModifiers()),
            "members": sorted(
                (str(m.getName()), [str(p.getName()) for p in m.getParameterTypes()])
                for m in members
                if public(m.getModifiers())
            ),
        }
    fpga = PairHmm(name="IntelPairHmmFpga")
    result["likelihoods"] = fpga.compute(region)
    return result


@scenario
def listing(argument: tuple[Region, str]) -> list[str]:
    """Return the files of a folder while the library is in use."""
    region, folder = argument
    PairHmm().compute(region)
    return sorted(path.name for path in Path(folder).rglob("*"))


#: Places of functions in JavaVM and JNIEnv, as the JNI specification lists them.
_GET_ENV, _FIND_CLASS, _EXCEPTION_CLEAR = 6, 6, 17
_JNI_VERSION_8 = 0x00010008


@scenario
def misuse_jni(_: None) -> None:
    """Look for a class while an exception is pending, which JNI forbids."""
    jvm = ctypes.CDLL(jpype.getDefaultJVMPath())
    machine, environment = ctypes.c_void_p(), ctypes.c_void_p()
    jvm.JNI_GetCreatedJavaVMs(ctypes.byref(machine), 1, ctypes.byref(ctypes.c_int()))

    def call(interface: ctypes.c_void_p, place: int, *arguments: Any) -> None:
        table = ctypes.cast(interface, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p)))[0]
        ctypes.CFUNCTYPE(ctypes.c_void_p, *[ctypes.c_void_p] * (1 + len(arguments)))(table[place])(
            interface, *arguments
        )

    call(machine, _GET_ENV, ctypes.addressof(environment), _JNI_VERSION_8)
    for _ in range(2):
        call(environment, _FIND_CLASS, b"absent")
    call(environment, _EXCEPTION_CLEAR)


def main() -> None:
    name, argument, result, classpath, *options = sys.argv[1:]
    jpype.startJVM(*options, classpath=classpath.split(":"))
    answer = SCENARIOS[name](pickle.loads(Path(argument).read_bytes()))
    Path(result).write_bytes(pickle.dumps(answer))


if __name__ == "__main__":
    main()
