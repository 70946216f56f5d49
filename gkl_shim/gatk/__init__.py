"""Fetch GATK, run it with and without the shim, and compare its results.

:mod:`~gkl_shim.gatk.fetch` downloads GATK from Maven Central. :mod:`~gkl_shim.gatk.run` runs GATK
with one of three ways to replace its PairHMM. :mod:`~gkl_shim.gatk.compare` compares VCF files.
:mod:`~gkl_shim.gatk.replay` times several PairHMM engines in one JVM.
:mod:`~gkl_shim.gatk.data` prepares samples.
"""
