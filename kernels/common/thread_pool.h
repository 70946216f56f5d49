// The process's threads: shared by every handle, started when first needed, asleep while there is
// no work, never spinning.
//
// GATK's own threads, and in Spark many callers at once, compete for the same cores: there are
// never more workers than the process may use CPUs less one (the caller works too), however many
// calls are under way.
#pragma once

#include <stdint.h>

namespace gkl_shim {

// Call task(context, k) once for every k in [0, count), on the calling thread and on up to
// `threads` - 1 workers. Returns when all are done. `task` must not throw.
//
// Where the system refuses a thread the others do its work.
void parallel_for(int64_t count, int threads, void (*task)(void *context, int64_t k),
                  void *context);

}  // namespace gkl_shim
