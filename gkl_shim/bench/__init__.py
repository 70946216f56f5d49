"""What ``gkl-shim bench`` and the scripts in benchmarks/ share: inputs, timing and tables."""
