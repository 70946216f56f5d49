"""Open CUDA devices, load the kernels, and pass both to the native engine of each algorithm.

CuPy is imported when a device is first used, not with this package.
"""
