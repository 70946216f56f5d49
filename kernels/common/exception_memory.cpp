// Memory for exceptions where the system has none left.
//
// Throwing takes memory. Once there is none, libc++ takes it from a pool of 512 bytes, enough for
// three exceptions, and ends the process when that is used up: three threads that run out of memory
// together are enough. The linker (--wrap, see CMakeLists.txt) sends every call of aligned_alloc(),
// which is where libc++ takes an exception's memory from, and of free() in this library to the
// functions here. They add a larger pool. libstdc++ has a pool of its own for some hundred threads.
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

// Enough for this library's largest exception, CudaFailure, with libc++'s header of 128 bytes: two
// for each of 256 threads. Pages that are never used take no memory.
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
