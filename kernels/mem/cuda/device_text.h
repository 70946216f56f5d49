// A part of a text in device memory.
#pragma once

#include <stdint.h>

#include "gpu/driver.h"
#include "gpu/kept_memory.h"
#include "mem/cuda/sender.h"
#include "mem/text.h"

namespace gkl_shim {
namespace mem {

class DeviceText {
   public:
    // Sends the positions [begin, end) and, at least, `before` letters before and `after` letters
    // after them. End bytes are around what is sent. The sender is of the same stream.
    void send(const CudaDriver &driver, void *stream, Sender *sender, const Text &text,
              int64_t begin, int64_t end, int64_t before, int64_t after, uint8_t end_byte,
              int threads);
    void free(const CudaDriver &driver) { memory_.free(driver); }

    // Positions count from `origin` of the text.
    TextView view() const { return view_; }
    int64_t origin() const { return origin_; }
    // Whether the text goes on where this part ends.
    bool is_cut() const { return cut_; }

   private:
    gpu::KeptMemory<uint64_t> memory_;
    TextView view_ = {};
    int64_t origin_ = 0;
    bool cut_ = false;
};

}  // namespace mem
}  // namespace gkl_shim
