"""A real GATK: fetching it, running it with and without the shim, and comparing what it writes.

:mod:`~gkl_shim.gatk.fetch` brings GATK from Maven Central, :mod:`~gkl_shim.gatk.run` runs it with
one of the three swaps, :mod:`~gkl_shim.gatk.compare` compares VCF files,
:mod:`~gkl_shim.gatk.replay` times native PairHMMs beside each other inside a JVM,
and :mod:`~gkl_shim.gatk.data` makes samples to run on.
"""
