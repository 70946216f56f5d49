"""GATK's own LoglessPDPairHMM, in a JVM of its own: ``python gatk_java.py CLASSPATH``.

It reads pickled lists of pairs from standard input and writes a pickled list of likelihoods for
each. A pair is a read's bases, base, insertion, deletion and continuation qualities, and a
haplotype's bases and flags, all bytes.
"""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
from types import TracebackType

Pair = tuple[bytes, ...]

_CLASS = "org.broadinstitute.hellbender.utils.pairhmm.LoglessPDPairHMM"


class GatkJava:
    """Call GATK's class from a process without a JVM."""

    def __init__(self, classpath: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, classpath], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def likelihoods(self, pairs: list[Pair]) -> list[float]:
        """Return the log10 likelihood of each pair, and infinity where GATK refuses it for being
        greater than 0, as merged deletions can make it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump(pairs, self._process.stdin)
        self._process.stdin.flush()
        values: list[float] = pickle.load(self._process.stdout)
        return values

    def __enter__(self) -> GatkJava:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)


def serve(classpath: str) -> None:
    """Answer until standard input ends."""
    import jpype
    import numpy as np

    # The JVM and GATK's logger may print; only answers may go to standard output.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    jpype.startJVM("-Dlog4j2.loggerContextFactory=org.apache.logging.log4j.simple"
                   ".SimpleLoggerContextFactory", classpath=classpath.split(":"))  # fmt: skip
    hmm = jpype.JClass(_CLASS)()
    array = jpype.JArray(jpype.JByte)
    boolean = jpype.JClass("java.lang.Boolean")
    kinds = [array.class_] * 7 + [boolean.TYPE] + [array.class_] * 2
    compute = (
        hmm.getClass()
        .getSuperclass()
        .getSuperclass()
        .getDeclaredMethod("computeReadLikelihoodGivenHaplotypeLog10", kinds)
    )
    compute.setAccessible(True)
    longest = [0, 0]
    while True:
        try:
            pairs = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        values = []
        for bases, quals, insertion, deletion, continuation, haplotype, flags in pairs:
            if len(bases) > longest[0] or len(haplotype) > longest[1]:
                longest = [max(longest[0], len(bases)), max(longest[1], len(haplotype))]
                hmm.initialize(*longest)
            tracks = (haplotype, flags, bases, quals, insertion, deletion, continuation)
            given = [array(np.frombuffer(track, np.int8)) for track in tracks]
            try:
                values.append(float(compute.invoke(hmm, [*given, boolean.TRUE, None, None])))
            except jpype.JException as error:
                if "cannot be greater than 0" not in str(error) + str(error.getCause()):
                    raise
                values.append(math.inf)
                # GATK would begin the next pair with this haplotype's initial values.
                longest = [0, 0]
        pickle.dump(values, answers)
        answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
