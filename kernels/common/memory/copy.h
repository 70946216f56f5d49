// Copies between arrays on several threads, because one thread is slower than the bus of a GPU.
#pragma once

#include <stdint.h>

#include <vector>

#include "common/thread_pool.h"

namespace gkl_shim {

struct Copy {
    void *to;
    const void *from;
    int64_t bytes;
};

// Makes all copies. Waking the threads takes as long as copying a few megabytes, so pass kSeveral
// if more calls follow.
void copy_all(const std::vector<Copy> &copies, int threads, Calls calls = Calls::kOne);

}  // namespace gkl_shim
