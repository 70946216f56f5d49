// What the processor offers and how much of it this process may use.
#pragma once

namespace gkl_shim {

// The least of the machine's CPUs, the affinity mask and the control group's quota; at least 1.
int usable_cpus();

// How many threads a call gets that asks for so many; 0 asks for all there may be.
int allowed_threads(int asked);

bool cpu_has_avx2();    // with FMA, and the system saving the registers
bool cpu_has_avx512();  // F, BW, DQ and VL

}  // namespace gkl_shim
