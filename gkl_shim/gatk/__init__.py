"""Fetch GATK, run it with and without the shim, and compare its results.

:mod:`~gkl_shim.gatk.fetch` downloads GATK from Maven Central. :mod:`~gkl_shim.gatk.swaps` has the
two ways to replace its native classes. :mod:`~gkl_shim.gatk.run` runs GATK, and
:mod:`~gkl_shim.gatk.programs` finds Java. :mod:`~gkl_shim.gatk.archive` makes a class-data archive,
with which GATK starts sooner. :mod:`~gkl_shim.gatk.compare` compares VCF files.
:mod:`~gkl_shim.gatk.data` holds a sample of real reads.
"""
