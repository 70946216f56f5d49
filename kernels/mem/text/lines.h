// Writes matches as mummer's lines.
#pragma once

#include <stdint.h>

#include "mem/results.h"

namespace gkl_shim::mem {

// The lines of all matches: a header for each query and strand, followed by its matches. Without
// the headers if they are continued.
class LineWriter {
   public:
    LineWriter(const Reference &reference, const Results &results,
               const gkl_shim_mem_format &format, int threads);

    // Sets the next lines; false if there are none left. They are valid until the next call. Throws
    // std::bad_alloc.
    bool next(const uint8_t **text, int64_t *size);

   private:
    // Headers and matches are items. The first item of a query:
    int64_t item_of(int64_t query) const;
    // Emits the items [first, last).
    template <class Out>
    void emit(int64_t first, int64_t last, Out &out) const;
    template <class Out>
    void emit_header(int64_t query, bool reverse, Out &out) const;
    template <class Out>
    void emit_match(int64_t query, bool reverse, const Match &match, Out &out) const;

    const Reference &reference_;
    const uint8_t *letters_ = nullptr;  // of the reference, if their substrings are wanted
    const Results &results_;
    const gkl_shim_mem_format format_;
    const gkl_shim_mem_sequences reference_names_, query_names_;
    const int threads_;
    int64_t longest_name_ = 0;
    int64_t item_ = 0;
    Buffer<uint8_t> text_;
};

}  // namespace gkl_shim::mem
