#include "correct/spectrum/mapped.h"

#include <sys/mman.h>

#include <new>

namespace gkl_shim::correct {

constexpr size_t kLargePage = size_t(2) << 20;

Mapped::Mapped(size_t size) {
    if (size == 0) return;
    void *const memory = mmap(nullptr, size * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    entries_ = static_cast<uint64_t *>(memory);
    size_ = size;
}

Mapped Mapped::in_large_pages(size_t size) {
    if (size * sizeof(uint64_t) < kLargePage) return Mapped(size);
    const size_t bytes = (size * sizeof(uint64_t) / kLargePage + 1) * kLargePage;
    Mapped mapped((bytes + kLargePage) / sizeof(uint64_t));
    // Large pages are aligned. What lies before and behind the array goes back.
    char *const memory = reinterpret_cast<char *>(mapped.entries_);
    const size_t before = -reinterpret_cast<uintptr_t>(memory) % kLargePage;
    if (before > 0) munmap(memory, before);
    if (before < kLargePage) munmap(memory + before + bytes, kLargePage - before);
    mapped.entries_ = reinterpret_cast<uint64_t *>(memory + before);
    mapped.size_ = bytes / sizeof(uint64_t);
    madvise(mapped.entries_, bytes, MADV_HUGEPAGE);
    return mapped;
}

Mapped::~Mapped() {
    if (entries_) munmap(entries_, size_ * sizeof(uint64_t));
}

void Mapped::grow(size_t size) {
    if (!entries_) {
        *this = Mapped(size);
        return;
    }
    void *const memory =
        mremap(entries_, size_ * sizeof(uint64_t), size * sizeof(uint64_t), MREMAP_MAYMOVE);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    entries_ = static_cast<uint64_t *>(memory);
    size_ = size;
}

void Mapped::shrink(size_t size) {
    if (size == 0) {
        *this = Mapped();
        return;
    }
    // This cannot fail: the pages stay where they are.
    mremap(entries_, size_ * sizeof(uint64_t), size * sizeof(uint64_t), 0);
    size_ = size;
}

}  // namespace gkl_shim::correct
