"""CUDA devices: loading the kernels, memory that is kept, and one launcher an algorithm.

CuPy is imported when a device is first asked for, not with this package.
"""
