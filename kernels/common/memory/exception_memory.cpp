// Memory for exceptions when the system has none left.
//
// Throwing an exception takes memory. If there is none, libc++ takes it from a pool of 512 bytes,
// which holds three exceptions. When the pool is used up, libc++ ends the process. This happens
// when several threads run out of memory together. libc++ calls aligned_alloc() for an exception,
// and the linker (--wrap, see CMakeLists.txt) sends this library's calls of aligned_alloc() and
// free() to the functions here. They add a larger pool. libstdc++ has a pool for some hundred
// threads already.
#include <stddef.h>
#include <stdint.h>

#include <atomic>

extern "C" {
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);
}

namespace {

// Room for two exceptions in each of 256 threads, of the size of this library's largest one,
// CudaFailure, with libc++'s header of 128 bytes. Pages that are never used take no memory.
constexpr size_t kSlotBytes = 512, kSlots = 512;
constexpr size_t kAlignment = 16;

alignas(kAlignment) unsigned char slots[kSlots][kSlotBytes];
std::atomic<bool> taken[kSlots];

void *take_slot() {
    for (size_t k = 0; k < kSlots; k++)
        if (!taken[k].exchange(true, std::memory_order_acquire)) return slots[k];
    return nullptr;
}

}  // namespace

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    void *const memory = __real_aligned_alloc(alignment, size);
    if (memory || size > kSlotBytes || alignment > kAlignment) return memory;
    return take_slot();
}

void __wrap_free(void *memory) {
    const uintptr_t offset = uintptr_t(memory) - uintptr_t(slots);
    if (offset < sizeof slots)
        taken[offset / kSlotBytes].store(false, std::memory_order_release);
    else
        __real_free(memory);
}
