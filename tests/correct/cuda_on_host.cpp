// The kernels of correct (cuda/kernels.cu), compiled for the host. Each lane of a warp is a
// fiber. Blocks have one warp, and the kernels' loops do the work of the others. A warp
// that writes shared memory beyond its own ends the process.
#include "../fakes/host_kernel.h"
#include "../gpu/warps_on_host.h"
#include "correct/cuda/kernels.cu"

namespace gkl_shim {
namespace correct {
uint32_t shared_words[2 * (kSharedWords + kFinishWords)];
}  // namespace correct
}  // namespace gkl_shim

using namespace gkl_shim::correct;

namespace {

constexpr uint32_t kUnused = 0xA5A5A5A5;

// Checks the shared memory behind the words that a warp may use.
template <class Launch>
void with_shared_memory(int words, const Launch &launch_kernel) {
    std::fill(std::begin(shared_words), std::end(shared_words), kUnused);
    launch_kernel();
    if (std::any_of(shared_words + words, std::end(shared_words),
                    [](uint32_t word) { return word != kUnused; })) {
        fprintf(stderr, "a warp writes shared memory that is not its own\n");
        abort();
    }
}

#define KERNEL(name, words)                                                               \
    fakes::host_kernel(#name, name, [](unsigned x, unsigned y, void *const *parameters) { \
        with_shared_memory(words, [&] { launch(x, y, name, parameters); });               \
    })
const fakes::HostKernel kKernels[] = {
    KERNEL(count_kmers, 0),
    KERNEL(move_entries, 0),
    KERNEL(finish_tables, kFinishWords),
    KERNEL(search_reads, kSharedWords),
    KERNEL(vote_reads, kSharedWords),
};

}  // namespace

extern "C" const fakes::HostKernel *find_kernel(const char *name) {
    return fakes::find(kKernels, name);
}
