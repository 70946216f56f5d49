// The index of one page of the reference: where each seed occurs.
#pragma once

#include <stdint.h>

#include <algorithm>

#include "mem/index/reference.h"
#include "mem/model.h"

namespace gkl_shim::mem {

// Positions of a page are 32-bit numbers.
const int64_t kMaxPageLetters = (int64_t(1) << 32) - 64;

struct Page {
    int64_t first, last;  // the page's positions in the text: [first, last)
    // The seeds of bucket b are positions[starts[b]] to positions[starts[b + 1]], in ascending
    // order, counted from `first`.
    Buffer<uint32_t> starts, positions;
};

// The positions of the text that belong to page `number`.
inline Page page_at(const Reference &reference, int64_t page_letters, int64_t number) {
    Page page = {};
    page.first = number * page_letters;
    page.last = std::min(page.first + page_letters, reference.size());
    return page;
}

}  // namespace gkl_shim::mem
