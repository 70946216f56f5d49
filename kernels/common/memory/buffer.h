// Memory for large arrays.
#pragma once

#include <stddef.h>

namespace gkl_shim {

// Blocks of 128 KiB or more that are given back are kept for later calls, up to 1 GiB in all: new
// memory is slow to use for the first time, because the system fills it with zeros. Throws
// std::bad_alloc.
void *take_memory(size_t bytes);
// `bytes` is what was taken.
void give_memory_back(void *memory, size_t bytes);

}  // namespace gkl_shim
