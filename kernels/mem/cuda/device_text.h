// A part of a text in device memory.
#pragma once

#include <stdint.h>

#include "gpu/kept_memory.h"
#include "mem/cuda/stream.h"
#include "mem/text.h"

namespace gkl_shim {
namespace mem {

class DeviceText {
   public:
    // Makes room for the positions [begin, end) of a text. If `cut`, the text goes on there.
    void place(const Stream &stream, int64_t begin, int64_t end, bool cut);
    // Makes the codes and the odd bits from the letters.
    void encode(const Stream &stream) const;
    void free(const CudaDriver &driver) { memory_.free(driver); }

    // Positions count from `origin` of the text.
    TextView view() const;
    int64_t origin() const { return begin_; }
    int64_t end() const { return end_; }
    // The position where the text goes on, or -1: no match ends there.
    int64_t cut() const { return cut_ ? end_ : -1; }

    // The letters in memory: kAround end bytes, those of the positions, and end bytes again.
    uint8_t *letters() const { return reinterpret_cast<uint8_t *>(memory_.address()); }
    int64_t letter_bytes() const;

   private:
    // The codes follow the letters, and the odd bits follow the codes.
    uint8_t *codes() const { return letters() + letter_bytes(); }
    uint8_t *odd() const { return codes() + letter_bytes() / 4; }

    gpu::KeptMemory<uint64_t> memory_;
    int64_t begin_ = 0, end_ = 0;
    bool cut_ = false;
};

}  // namespace mem
}  // namespace gkl_shim
