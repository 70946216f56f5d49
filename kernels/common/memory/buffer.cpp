#include "common/memory/buffer.h"

#include <stdlib.h>
#include <sys/mman.h>

#include <map>
#include <mutex>
#include <new>

namespace gkl_shim {
namespace {

const size_t kHugePage = size_t(1) << 21;
// Blocks from this size on are in huge pages.
const size_t kLarge = 2 * kHugePage;
// Blocks from this size on are kept. malloc() gives most of them back to the system.
const size_t kMinKept = size_t(1) << 17;
const size_t kMaxKept = size_t(1) << 30;

// The size of a block that is kept: one of eight between two powers of two, so that later calls can
// use the block again.
size_t size_of_block(size_t bytes) {
    size_t step = bytes < kLarge ? kMinKept / 8 : kHugePage;
    while (step < bytes / 16) step *= 2;
    return (bytes + step - 1) / step * step;
}

// Blocks that nobody uses. A caller does without them if another thread has the lock: in a forked
// child, that thread does not exist, and waiting for it would not end.
class KeptBlocks {
   public:
    // A block of this size, or null.
    void *take(size_t size) {
        const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
        if (!lock) return nullptr;
        const auto found = blocks_.find(size);
        if (found == blocks_.end()) return nullptr;
        void *const memory = found->second;
        blocks_.erase(found);
        bytes_ -= size;
        return memory;
    }

    // Returns whether the block is kept.
    bool keep(void *memory, size_t size) {
        const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
        if (!lock || size > kMaxKept) return false;
        try {
            blocks_.emplace(size, memory);
        } catch (const std::bad_alloc &) {
            return false;
        }
        bytes_ += size;
        free_blocks(kMaxKept);
        return true;
    }

    void free_all() {
        const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
        if (lock) free_blocks(0);
    }

   private:
    // Frees the smallest blocks until at most this many bytes are kept.
    void free_blocks(size_t most) {
        while (bytes_ > most) {
            const auto smallest = blocks_.begin();
            bytes_ -= smallest->first;
            free(smallest->second);
            blocks_.erase(smallest);
        }
    }

    std::mutex mutex_;
    std::multimap<size_t, void *> blocks_;  // by size
    size_t bytes_ = 0;
};

// Never destroyed: at exit, buffers may still be in use.
KeptBlocks &kept_blocks() {
    static KeptBlocks *const blocks = new KeptBlocks;
    return *blocks;
}

void *new_block(size_t size) {
    if (size < kLarge) return malloc(size);
    void *const memory = aligned_alloc(kHugePage, size);
    // Random accesses to large arrays are faster in huge pages.
    if (memory) madvise(memory, size, MADV_HUGEPAGE);
    return memory;
}

}  // namespace

void *take_memory(size_t bytes) {
    void *memory;
    if (bytes < kMinKept) {
        memory = malloc(bytes);
    } else {
        const size_t size = size_of_block(bytes);
        memory = kept_blocks().take(size);
        if (!memory) memory = new_block(size);
        if (!memory) {
            kept_blocks().free_all();
            memory = new_block(size);
        }
    }
    if (!memory) throw std::bad_alloc();
    return memory;
}

void give_memory_back(void *memory, size_t bytes) {
    if (bytes < kMinKept || !kept_blocks().keep(memory, size_of_block(bytes))) free(memory);
}

}  // namespace gkl_shim
