#include "mem/text/lines.h"

#include <string.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <vector>

#include "common/thread_pool.h"

namespace gkl_shim::mem {
namespace {

// The most items of a slice, a power of eight: next() may divide it by eight several times.
const int64_t kItemsOfSlice = 1 << 12;
const int64_t kSlices = 128;
const int64_t kNanosecondsOfItem = 20;
// Slices are written together up to this many bytes, because lines with long substrings would
// fill the memory. One item may have more.
const int64_t kMaxText = int64_t(1) << 25;
// Numbers are aligned to the right in this many columns.
const int kWidth = 8;

int digits_of(uint64_t value) {
    int digits = 1;
    for (; value >= 10; value /= 10) digits++;
    return digits;
}

// Counts the bytes that a LineBytes writes.
struct LineSizer {
    int64_t size = 0;

    void bytes(const void *, int64_t count) { size += count; }
    void spaces(int64_t count) { size += count; }
    void number(int64_t value, int width) { size += std::max(width, digits_of(uint64_t(value))); }
};

struct LineBytes {
    uint8_t *out;

    void bytes(const void *from, int64_t count) {
        memcpy(out, from, size_t(count));
        out += count;
    }
    void spaces(int64_t count) {
        memset(out, ' ', size_t(count));
        out += count;
    }
    void number(int64_t value, int width) {
        char digits[20];
        const int64_t count = std::to_chars(digits, std::end(digits), value).ptr - digits;
        if (count < width) spaces(width - count);
        bytes(digits, count);
    }
};

int64_t length_of(const gkl_shim_mem_sequences &names, int64_t k) {
    return names.offsets[k + 1] - names.offsets[k];
}

template <class Out>
void put(Out &out, const char *text) {
    out.bytes(text, int64_t(strlen(text)));
}

}  // namespace

LineWriter::LineWriter(const Reference &reference, const Results &results,
                       const gkl_shim_mem_format &format, int threads)
    : reference_(reference),
      results_(results),
      format_(format),
      reference_names_(*format.reference_names),
      query_names_(*format.query_names),
      threads_(threads) {
    for (int64_t k = 0; k < reference.count(); k++)
        longest_name_ = std::max(longest_name_, length_of(reference_names_, k));
    if (format.substrings) letters_ = reference.text().letters;
}

int64_t LineWriter::item_of(int64_t query) const {
    int64_t item = 0;
    for (const Strand &strand : results_.strands)
        if (strand.searched)
            item += strand.count_before(results_.starts()[query]) + (format_.continued ? 0 : query);
    return item;
}

template <class Out>
void LineWriter::emit(int64_t first, int64_t last, Out &out) const {
    const SequenceStarts starts = results_.starts();
    int64_t query = 0, after = starts.count;
    while (after - query > 1) {  // find the query that holds the first item
        const int64_t middle = query + (after - query) / 2;
        (item_of(middle) <= first ? query : after) = middle;
    }
    const auto reader = [&](bool reverse) {
        const Strand &strand = results_.strands[reverse];
        return Strand::Reader(strand, strand.count_before(starts[query]));
    };
    Strand::Reader readers[] = {reader(false), reader(true)};
    for (int64_t item = item_of(query); item < last; query++)
        for (const bool reverse : {false, true}) {
            const Strand &strand = results_.strands[reverse];
            if (!strand.searched) continue;
            if (!format_.continued) {
                if (item >= first && item < last) emit_header(query, reverse, out);
                item++;
            }
            Strand::Reader &matches = readers[reverse];
            const int64_t end = starts[query + 1];
            if (item < first) {  // in the first query
                const int64_t start = strand.count_before(starts[query]);
                const int64_t skipped = std::min(first - item, strand.count_before(end) - start);
                matches = Strand::Reader(strand, start + skipped);
                item += skipped;
            }
            for (; item < last && matches.has_before(end); item++)
                emit_match(query, reverse, matches.next(), out);
        }
}

template <class Out>
void LineWriter::emit_header(int64_t query, bool reverse, Out &out) const {
    put(out, "> ");
    out.bytes(query_names_.letters + query_names_.offsets[query], length_of(query_names_, query));
    if (reverse) put(out, " Reverse");
    if (format_.lengths) {
        put(out, "  Len = ");
        out.number(results_.query_length(query), 0);
    }
    put(out, "\n");
}

template <class Out>
void LineWriter::emit_match(int64_t query, bool reverse, const Match &match, Out &out) const {
    int64_t start = match.reference;
    if (format_.four_columns || reference_.count() != 1) {
        const int64_t sequence = reference_.starts().sequence_at(start);
        const int64_t length = length_of(reference_names_, sequence);
        start -= reference_.starts()[sequence];
        out.spaces(2);
        out.bytes(reference_names_.letters + reference_names_.offsets[sequence], length);
        out.spaces(longest_name_ - length + 2);
    }
    out.number(start + 1, kWidth);
    out.spaces(2);
    const int64_t in_query = match.query - results_.starts()[query];
    const bool original = reverse && format_.original_positions;
    out.number(original ? results_.query_length(query) - in_query : in_query + 1, kWidth);
    out.spaces(2);
    out.number(match.length, kWidth);
    put(out, "\n");
    if (format_.substrings) {
        out.bytes(letters_ + match.reference, match.length);
        put(out, "\n");
    }
}

bool LineWriter::next(const uint8_t **text, int64_t *size) {
    const int64_t items = item_of(results_.queries());
    if (item_ >= items) return false;
    int64_t items_of_slice = kItemsOfSlice;
    int64_t slices;
    std::vector<int64_t> places;  // where each slice's text begins, and the end
    const auto item = [&](int64_t slice) {
        return std::min(item_ + slice * items_of_slice, items);
    };
    const auto for_each_slice = [&](const auto &task) {
        const int64_t nanoseconds = slices * items_of_slice * kNanosecondsOfItem;
        parallel_for(slices, nanoseconds, threads_, Calls::kSeveral, task);
    };
    for (;; items_of_slice /= 8) {
        slices = std::min(kSlices, (items - item_ + items_of_slice - 1) / items_of_slice);
        places.assign(size_t(slices + 1), 0);
        for_each_slice([&](int64_t slice) {
            LineSizer sizer;
            emit(item(slice), item(slice + 1), sizer);
            places[size_t(slice + 1)] = sizer.size;
        });
        if (places[1] <= kMaxText || items_of_slice == 1) break;
    }
    for (size_t slice = 1; slice < places.size(); slice++) places[slice] += places[slice - 1];
    while (slices > 1 && places[size_t(slices)] > kMaxText) slices--;
    *size = places[size_t(slices)];
    if (text_.size() < *size) text_ = Buffer<uint8_t>(*size);
    for_each_slice([&](int64_t slice) {
        LineBytes writer = {text_.data() + places[size_t(slice)]};
        emit(item(slice), item(slice + 1), writer);
    });
    *text = text_.data();
    item_ = item(slices);
    return true;
}

}  // namespace gkl_shim::mem
