"""Scripts that need CUDA devices."""
