// An array that is mapped separately, so that memory it no longer needs goes back to the system at
// once. malloc() would keep that memory, and growing tables would leave as much behind as they use.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <utility>

namespace gkl_shim::correct {

class Mapped {
   public:
    Mapped() = default;
    // All entries are 0. Throws std::bad_alloc.
    explicit Mapped(size_t size);
    // At least this many, in pages of 2 MiB where the system has them, so that a random access
    // rarely waits for the page tables. Throws std::bad_alloc.
    static Mapped in_large_pages(size_t size);
    Mapped(Mapped &&other) noexcept { *this = std::move(other); }
    Mapped &operator=(Mapped &&other) noexcept {
        std::swap(entries_, other.entries_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~Mapped();

    // Adds entries, which are 0 unless the array was shrunk before. Throws std::bad_alloc.
    void grow(size_t size);
    // Keeps the first entries.
    void shrink(size_t size);

    uint64_t *begin() { return entries_; }
    uint64_t *end() { return entries_ + size_; }
    const uint64_t *begin() const { return entries_; }
    const uint64_t *end() const { return entries_ + size_; }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

   private:
    uint64_t *entries_ = nullptr;
    size_t size_ = 0;
};

}  // namespace gkl_shim::correct
