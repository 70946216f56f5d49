// CPU features, and how many CPUs this process may use.
#pragma once

namespace gkl_shim {

// The minimum of the machine's CPUs, the affinity mask and the control group's quota; at least 1.
int usable_cpus();

// The number of threads a call may use when its caller asks for `asked`; 0 asks for all CPUs.
int allowed_threads(int asked);

bool cpu_has_avx2();    // with FMA, and the system saving the registers
bool cpu_has_avx512();  // F, BW, DQ and VL

}  // namespace gkl_shim
