// Sends bytes to a device through pinned memory: the bus is several times as fast from there.
#pragma once

#include <stdint.h>

#include "gpu/driver.h"
#include "gpu/kept_memory.h"

namespace gkl_shim {
namespace mem {

// Two pieces of pinned memory take turns: the device reads one while the host fills the other. The
// device's context is current in all calls.
class Sender {
   public:
    Sender(const CudaDriver &driver, void *stream) : driver_(driver), stream_(stream) {}
    ~Sender();
    Sender(const Sender &) = delete;

    // The bytes that follow go to this address, one after another. `bytes` is how many.
    void begin(uint64_t to, int64_t bytes);
    // Copies bytes on as many threads.
    void copy(const uint8_t *from, int64_t bytes, int threads);
    void fill(uint8_t value, int64_t bytes);
    // Sends what is left.
    void end();

   private:
    struct Piece {
        gpu::KeptMemory<void *> memory;
        void *sent = nullptr;  // an event
    };

    // Calls write(memory, done, bytes) for each piece that the next bytes lie in.
    template <class Write>
    void add(int64_t bytes, const Write &write);
    void flush();

    const CudaDriver &driver_;
    void *const stream_;
    Piece pieces_[2];
    int current_ = 0;
    int64_t size_ = 0, used_ = 0;  // of a piece
    uint64_t to_ = 0;
};

}  // namespace mem
}  // namespace gkl_shim
