"""Proof on a user's own data that GATK calls the same with gkl-shim: ``gkl-shim validate``.

`jobs` runs GATK in shards and keeps what is finished. `differences` compares the records and looks
into each difference in double precision. `accuracy` asks GATK's Concordance. `report` writes JSON
and a page.
"""
