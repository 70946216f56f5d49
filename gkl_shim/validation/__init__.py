"""Proof on a user's own data that GATK writes the same with gkl-shim: ``gkl-shim validate``.

`jobs` runs GATK and keeps what is finished. `validation` calls in shards, `differences` compares
the records and looks into each difference in double precision, and `accuracy` asks GATK's
Concordance. `steps` runs the tools around the callers, and `outputs` compares their files. `report`
writes JSON and a page.
"""
