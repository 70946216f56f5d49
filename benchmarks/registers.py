"""Measure the cost of a multiply-add by its register operands, which bounds the PairHMM kernels.

    python -m benchmarks.registers --json FILE.json

Needs a CUDA device and CuPy. There is one block a multiprocessor and one to four warps a scheduler;
the chains of instructions are independent. The JSON is results/registers-h200.json.
"""

from __future__ import annotations

import statistics

import click
import numpy as np

from benchmarks.common import report
from gkl_shim.cuda import devices

KERNEL = """
enum { kChains = 16, kRepeats = 5 };
extern "C" __global__ void __launch_bounds__(512, 1)
chains(float *data, long long *cycles, int steps, float factor, float summand) {
    float x[kChains], a[kChains], b[kChains];
    for (int i = 0; i < kChains; i++) {
        x[i] = data[threadIdx.x + i];
        a[i] = data[threadIdx.x + 100 + i];
        b[i] = data[threadIdx.x + 200 + 3 * i];
    }
    __syncthreads();
    const long long start = clock64();
    #pragma unroll 4
    for (int step = 0; step < steps; step++) {
        #pragma unroll
        for (int repeat = 0; repeat < kRepeats; repeat++) {
            #pragma unroll
            for (int i = 0; i < kChains; i++) x[i] = OPERATION;
        }
    }
    const long long taken = clock64() - start;
    float sum = 0;
    for (int i = 0; i < kChains; i++) sum += x[i];
    data[threadIdx.x] = sum;
    if (threadIdx.x == 0) cycles[blockIdx.x] = taken;
}
"""
CASES = {
    "multiply-add, three registers": "__fmaf_rn(a[i], x[i], b[i])",
    "multiply-add, two registers and a uniform one": "__fmaf_rn(a[i], x[i], summand)",
    "multiply-add, one register and two uniform ones": "__fmaf_rn(factor, x[i], summand)",
    "product, two registers": "x[i] * a[i]",
}
A_STEP = 16 * 5
STEPS = 2000
SCHEDULERS = 4
WARP = 32


def measure() -> list[dict[str, object]]:
    """Return the cycles that a scheduler takes for an instruction, by its number of warps."""
    cupy = devices.import_cupy()
    rows: list[dict[str, object]] = []
    multiprocessors = cupy.cuda.Device().attributes["MultiProcessorCount"]
    for name, operation in CASES.items():
        kernel = cupy.RawKernel(
            KERNEL.replace("OPERATION", operation), "chains", ("-ftz=true", "-fmad=false")
        )
        for warps in (1, 2, 3, 4):
            data = cupy.ones(4096, cupy.float32)
            cycles = cupy.zeros(multiprocessors, cupy.int64)
            arguments = (data, cycles, np.int32(STEPS), np.float32(1), np.float32(0))
            for _ in range(2):
                kernel((multiprocessors,), (warps * SCHEDULERS * WARP,), arguments)
            taken = statistics.median(cycles.get().tolist()) / STEPS / A_STEP / warps
            rows.append({"instruction": name, "warps": warps, "cycles": round(taken, 3)})
            click.echo(f"{name:50} {warps} warps: {taken:.2f} cycles", err=True)
    return rows


@click.command()
@report.json_option
def command(json_file: str | None) -> None:
    """Measure multiply-adds on the first GPU."""
    about = report.about(gpu=True)
    report.write_json(json_file or "-", {**about, "rows": measure()})


if __name__ == "__main__":
    report.run(command)
