// Reads FASTA on several threads, as mummer reads it: gkl_shim_mem_parse() in gkl_shim.h says how.
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
