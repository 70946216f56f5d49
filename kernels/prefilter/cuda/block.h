// The memory of a chunk's input: pinned memory of the host, and the device memory it is sent to.
#pragma once

#include <stdint.h>

#include <vector>

#include "common/memory/copy.h"
#include "gpu/driver.h"
#include "gpu/kept_memory.h"
#include "prefilter/cuda/filter_kernels.h"
#include "prefilter/cuda/sources/sequences.h"
#include "prefilter/cuda/work.h"

namespace gkl_shim::prefilter {

// The arrays of a chunk in one block of device memory. The block assigns an offset to each, copies
// or encodes it to pinned memory, and sends it. Arrays in pinned memory are sent without a copy.
//
// A chunk is laid out twice: the first time tells the block's size, the second time the addresses.
class Block {
   public:
    Block(const CudaDriver &driver, void *stream) : driver_(driver), stream_(stream) {}
    Block(const Block &) = delete;

    // Starts the layout of a chunk.
    void begin();
    // Allocates memory for this layout, and starts it again.
    void make_room();

    // Each of these lays out an array and returns its address in device memory. Null stays null.
    template <class T>
    const T *put(const T *array, int64_t first, int64_t count) {
        return array ? reinterpret_cast<const T *>(
                           put_bytes(array + first, count * int64_t(sizeof(T))))
                     : nullptr;
    }
    // Bases of a buffer; its letters are encoded here or on the device. *origin becomes the base
    // with which the planes start.
    Planes put_bases(const Sequences &list, const Bases &bases, int32_t encode, int64_t *origin);

    // Copies and encodes the arrays of the layout.
    void write(int threads);
    // Sends the block, and encodes letters on the device if they are to be encoded there.
    void send(const FilterKernels &kernels);

   private:
    struct Array {
        int64_t at;
        const void *from;  // where the bytes are on the host
        int64_t bytes;
    };
    struct Letters {
        const uint8_t *letters;
        int64_t count;
        int64_t planes[3], any;  // places in the block
    };
    struct DeviceLetters {
        const uint8_t *letters;  // on the device
        int64_t count;
        Planes planes;
    };

    uint64_t put_bytes(const void *array, int64_t bytes);
    int64_t reserve(int64_t bytes);
    int64_t reserve_plane(int64_t words);
    const uint32_t *put_plane(const uint32_t *plane, int64_t first, int64_t words);
    uint64_t address(int64_t at) const { return device_.address() + uint64_t(at); }
    const uint32_t *words_at(int64_t at) const { return device_.as<const uint32_t>(at); }
    void encode(const Letters &text, int threads);

    const CudaDriver &driver_;
    void *const stream_;
    gpu::KeptMemory<void *> pinned_;
    gpu::KeptMemory<uint64_t> device_;
    int64_t used_ = 0;
    std::vector<Array> arrays_;
    std::vector<Letters> letters_;
    std::vector<DeviceLetters> device_letters_;
    std::vector<Copy> copies_;
};

}  // namespace gkl_shim::prefilter
