// Limits on the CPU engine's memory, whatever the shape of a batch. gkl_shim.h states their sum.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace gkl_shim::hmm {

// Larger buffers of a thread, and larger plans of a caller, are freed after use.
constexpr size_t kKeptBytes = size_t(32) << 20;

// The most that a tile takes for its haplotypes; with Scratch's surplus it stays within kKeptBytes.
// If a tile would take more, the haplotypes are divided.
constexpr size_t kTileBytes = size_t(24) << 20;

// About the most cells of a tile, unless one haplotype has more. A thread computes them within a
// second, and a call can end early only between tiles.
constexpr int64_t kTileCells = int64_t(1) << 32;

// The most that a tile of long reads takes. If it would take more, fewer reads are computed side by
// side. A lone read of the greatest length takes twice this.
constexpr size_t kLongReadBytes = size_t(64) << 20;

// Regions are computed in chunks, large enough to occupy all threads and small enough that memory
// does not grow with the batch. A chunk is measured in bases; each sequence and each region counts
// as this many for what is kept of it.
constexpr int64_t kChunkBases = int64_t(3) << 19, kSequenceBases = 64, kRegionBases = 512;

// A larger region is computed in pieces. A single haplotype may have more letters than a piece.
constexpr int64_t kPieceReads = 1 << 16, kPieceHaplotypes = 1 << 14, kPieceLetters = 1 << 22;

// About how many bytes a piece keeps of each.
constexpr int64_t kBytesPerRead = 8, kBytesPerHaplotype = 192, kBytesPerLetter = 3;

}  // namespace gkl_shim::hmm
