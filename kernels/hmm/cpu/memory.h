// Limits on the memory of the CPU engines of PairHMM and PDHMM, whatever the shape of a batch.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace gkl_shim {
namespace hmm {

// Larger buffers of a thread, and larger plans of a caller, are freed after use.
constexpr size_t kKeptBytes = size_t(32) << 20;

// The most that a tile takes for its haplotypes; with Scratch's surplus it stays within kKeptBytes.
// If a tile would take more, the haplotypes are divided.
constexpr size_t kTileBytes = size_t(24) << 20;

// The most that a tile of long reads takes for one haplotype. If it would take more, fewer reads
// are computed side by side. A lone read of the greatest length takes twice this.
constexpr size_t kLongReadBytes = size_t(64) << 20;

// Regions are computed in chunks, large enough to occupy all threads and small enough that memory
// does not grow with the batch. A chunk is measured in bases; each sequence counts as this many for
// what is kept of it.
constexpr int64_t kChunkBases = int64_t(3) << 19, kSequenceBases = 64;

}  // namespace hmm
}  // namespace gkl_shim
