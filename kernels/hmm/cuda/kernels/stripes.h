// Reads too long for one warp: how a stripe of rows passes its numbers to the next stripe.
//
// A stripe walks the same stream of columns as a warp does for a short read. In each column, and
// before the first one, its last row stores two numbers to a seam in global memory. The next
// stripe's warp loads them a batch of columns at a time, so the stripes of a read run side by side,
// each a little behind the one before. No flag is needed: the numbers are never negative, and the
// seams are filled with a negative number before the kernel starts.
//
// A warp waits only for warps that started before it (compute_stripe() in kernels/kernels.cu
// numbers them as they start). So the kernel never deadlocks, however few warps the device runs at
// a time.
#pragma once

#include "hmm/cuda/kernels/block_format.h"

namespace gkl_shim::pairhmm {

#if defined(__CUDA_ARCH__)
// Accesses to memory that other warps write. They bypass the first-level cache.
__device__ __forceinline__ BoundaryState<double> load_seam(const BoundaryState<double> *from) {
    BoundaryState<double> x;
    asm volatile("ld.relaxed.gpu.v2.f64 {%0, %1}, [%2];"
                 : "=d"(x.t), "=d"(x.insertion)
                 : "l"(from)
                 : "memory");
    return x;
}
__device__ __forceinline__ void store_seam(BoundaryState<double> *to, BoundaryState<double> x) {
    asm volatile("st.relaxed.gpu.v2.f64 [%0], {%1, %2};" ::"l"(to), "d"(x.t), "d"(x.insertion)
                 : "memory");
}
__device__ __forceinline__ BoundaryState<double> load_ring(uint32_t from) {
    BoundaryState<double> x;
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(x.t), "=d"(x.insertion) : "r"(from));
    return x;
}
__device__ __forceinline__ void store_ring(uint32_t to, BoundaryState<double> x) {
    asm volatile("st.shared.v2.f64 [%0], {%1, %2};" ::"r"(to), "d"(x.t), "d"(x.insertion));
}
__device__ __forceinline__ void pause() { __nanosleep(20); }
#endif

__device__ __forceinline__ bool has_arrived(BoundaryState<double> x) {
    const uint64_t absent = kSeamFill * uint64_t(0x0101010101010101);
    return bit_cast<uint64_t>(x.t) != absent && bit_cast<uint64_t>(x.insertion) != absent;
}

// A warp's ends of two seams: it receives from the stripe before it in the pass and sends to the
// stripe after it. Columns are processed four at a time.
class Seams {
   public:
    // `before` is null for the first stripe of the pass, `after` for the last. `top` flows into
    // every column of the first stripe. `ring` is shared memory for kRingColumns columns.
    __device__ __forceinline__ void open(const BoundaryState<double> *before,
                                         BoundaryState<double> *after, int32_t length,
                                         uint32_t ring, bool last_lane, BoundaryState<double> top) {
        incoming_seam_ = before;
        outgoing_seam_ = last_lane ? after : nullptr;
        length_ = length;
        ring_ = ring;
        next_column_ = 0;
        if (!before && threadIdx.x < kRingColumns) store_ring(slot(threadIdx.x), top);
        __syncwarp();
    }

    // What flows into the root of the backward pass. For the first stripe this is `top`.
    __device__ __forceinline__ BoundaryState<double> receive_root(BoundaryState<double> top) const {
        if (!incoming_seam_) return top;
        BoundaryState<double> x = load_seam(incoming_seam_);
        while (__any_sync(0xffffffffu, !has_arrived(x))) {
            pause();
            x = load_seam(incoming_seam_);
        }
        return x;
    }

    __device__ __forceinline__ void send_root(BoundaryState<double> out) const {
        if (outgoing_seam_) store_seam(outgoing_seam_, out);
    }

    // Call these before and after each four columns of the entry lane.
    __device__ __forceinline__ void begin_columns() {
        if (incoming_seam_ && next_column_ % kRingColumns == 0 && next_column_ < uint32_t(length_))
            fill_ring();
        // The columns of the last lane. Some of them may lie outside the stream.
        const int32_t column = int32_t(next_column_) - (kWarp - 1);
        send_to_ = outgoing_seam_ && column > -kSeamMargin && column < length_
                       ? outgoing_seam_ + kSeamMargin + column
                       : nullptr;
        receive_from_ = slot(next_column_ % kRingColumns);
    }
    __device__ __forceinline__ void end_columns() { next_column_ += kSeamMargin; }

    // What flows into the k-th of the four columns, and what flows out of the last lane's.
    __device__ __forceinline__ BoundaryState<double> receive(int k) const {
        return load_ring(receive_from_ + unsigned(k) * unsigned(sizeof(BoundaryState<double>)));
    }
    __device__ __forceinline__ void send(int k, BoundaryState<double> out) const {
        if (send_to_) store_seam(send_to_ + k, out);
    }

   private:
    __device__ __forceinline__ uint32_t slot(uint32_t column) const {
        return ring_ + column * unsigned(sizeof(BoundaryState<double>));
    }

    __device__ __forceinline__ void fill_ring() const {
        const uint32_t column = next_column_ + threadIdx.x;
        const bool own = threadIdx.x < kRingColumns && column < uint32_t(length_);
        const BoundaryState<double> *from = incoming_seam_ + kSeamMargin + column;
        BoundaryState<double> x = {0, 0};
        if (own) x = load_seam(from);
        while (__any_sync(0xffffffffu, !has_arrived(x))) {
            pause();
            if (own) x = load_seam(from);
        }
        __syncwarp();
        if (own) store_ring(slot(threadIdx.x), x);
        __syncwarp();
    }

    const BoundaryState<double> *incoming_seam_;
    BoundaryState<double> *outgoing_seam_;  // null except in the last lane
    int32_t length_;
    uint32_t ring_;
    uint32_t next_column_;  // the entry lane's next column

    // For the four columns, the place to send to and the place in the ring to receive from.
    BoundaryState<double> *send_to_;
    uint32_t receive_from_;
};

}  // namespace gkl_shim::pairhmm
