// PairHMM's kernels (cuda/kernels/kernels.cu), compiled for the host.
#include "../fakes/host_kernel.h"
#include "../gpu/warps_on_host.h"
#include "common/floating_point_mode.h"

// What kernels.cu and stripes.h do with instructions of the GPU's own. Shared memory has
// 32-bit addresses: here, offsets into the one array of it.
#include "hmm/cuda/kernels/block_format.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

extern uint8_t shared_memory[];

template <class A>
A *shared(uint32_t address) {
    return reinterpret_cast<A *>(shared_memory + address);
}

[[maybe_unused]] uint32_t shared_address(void *pointer) {
    return uint32_t(static_cast<uint8_t *>(pointer) - shared_memory);
}

template <class T>
struct Pack;
template <class T>
Pack<T> load_shared(uint32_t from, const T *) {
    return *shared<Pack<T>>(from);
}

BoundaryState<double> load_seam(const BoundaryState<double> *from) { return *from; }
void store_seam(BoundaryState<double> *to, BoundaryState<double> x) { *to = x; }
BoundaryState<double> load_ring(uint32_t from) { return *shared<BoundaryState<double>>(from); }
void store_ring(uint32_t to, BoundaryState<double> x) { *shared<BoundaryState<double>>(to) = x; }
// The warps before this one have ended, so a number that is missing now will never arrive.
[[noreturn]] void pause() {
    fputs("a stripe waits for a warp that began after it\n", stderr);
    abort();
}

}  // namespace
}  // namespace pairhmm
}  // namespace gkl_shim

#include "hmm/cuda/kernels/kernels.cu"

namespace gkl_shim {
namespace pairhmm {
namespace {
// The most shared memory that a block may use on the largest GPU.
alignas(16) uint8_t shared_memory[227 << 10];
}  // namespace
}  // namespace pairhmm
}  // namespace gkl_shim

namespace {

// Single precision flushes subnormal numbers to zero, as the GPU build does; double does not.
#define KERNEL(name, subnormals)                                                                 \
    fakes::host_kernel(#name, name, [](unsigned x, unsigned y, void *const *parameters) {        \
        const gkl_shim::FloatingPointMode mode(gkl_shim::Subnormals::subnormals);                \
        memset(gkl_shim::pairhmm::shared_memory, 0xA5, sizeof gkl_shim::pairhmm::shared_memory); \
        launch(x, y, name, parameters);                                                          \
    })
const fakes::HostKernel kKernels[] = {
    KERNEL(pairhmm_single_4, kFlushed),    KERNEL(pairhmm_single_8, kFlushed),
    KERNEL(pairhmm_single_12, kFlushed),   KERNEL(pairhmm_single_16, kFlushed),
    KERNEL(pairhmm_single_20, kFlushed),   KERNEL(pairhmm_single_32, kFlushed),
    KERNEL(pairhmm_double_4, kKept),       KERNEL(pairhmm_double_8, kKept),
    KERNEL(pairhmm_double_striped, kKept), KERNEL(pairhmm_lone_8, kFlushed),
    KERNEL(pairhmm_lone_16, kFlushed),     KERNEL(pairhmm_lone_20, kFlushed),
    KERNEL(pairhmm_lone_32, kFlushed),     KERNEL(pairhmm_lone_double, kKept),
};

}  // namespace

extern "C" const fakes::HostKernel *find_kernel(const char *name) {
    return fakes::find(kKernels, name);
}
