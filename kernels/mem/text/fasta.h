// Reads FASTA on several threads, as mummer reads it.
//
// A ">" begins a description wherever it stands in a sequence. The description reaches to the end
// of the line, and the name to its first white space. All other bytes but white space are letters.
// Letters before the first description belong to the first sequence.
#pragma once

#include <stdint.h>

#include <vector>

#include "mem/text/text.h"

namespace gkl_shim::mem {

struct Fasta {
    std::vector<int64_t> name_offsets, offsets;
    Buffer<uint8_t> names, letters;

    int64_t count() const { return int64_t(offsets.size()) - 1; }
};

// Throws std::bad_alloc.
Fasta parse_fasta(const uint8_t *text, int64_t size, int threads);

}  // namespace gkl_shim::mem
