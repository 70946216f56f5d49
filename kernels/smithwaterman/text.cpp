// Smith-Waterman's text formats: parses pairs, formats alignments. Part of the C ABI.
#include <string.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "common/text/bytes.h"
#include "common/text/fields.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "gkl_shim.h"

namespace gkl_shim::smithwaterman {
namespace {

constexpr int64_t kNanosecondsALine = 20, kCopiedPerNanosecond = 4;
const char *const kOverhangs[] = {"softclip", "indel", "leading_indel", "ignore"};

// The longest excerpt of a field in a message.
constexpr int64_t kExcerpt = 60;

std::string excerpt(const Field &field) {
    return quoted(field.begin, std::min(field.size, kExcerpt)) + (field.size > kExcerpt ? "…" : "");
}

// Parses a whole number of 32 bits. Spaces may be around it.
bool parse_number(const char *from, const char *to, int32_t *number) {
    while (from < to && *from == ' ') from++;
    while (from < to && to[-1] == ' ') to--;
    if (to - from > 1 && *from == '+' && from[1] != '-') from++;
    const std::from_chars_result found = std::from_chars(from, to, *number);
    return found.ec == std::errc() && found.ptr == to;
}

bool parse_scores(const Field &field, gkl_shim_smithwaterman_parameters *scores) {
    const char *from = reinterpret_cast<const char *>(field.begin), *const end = from + field.size;
    int32_t *const numbers[] = {&scores->match, &scores->mismatch, &scores->gap_open,
                                &scores->gap_extend};
    for (int k = 0; k < 4; k++) {
        const void *comma = memchr(from, ',', size_t(end - from));
        if ((k == 3) == (comma != nullptr)) return false;
        const char *to = comma ? static_cast<const char *>(comma) : end;
        if (!parse_number(from, to, numbers[k])) return false;
        from = to + 1;
    }
    return true;
}

bool parse_overhang(const Field &field, int32_t *overhang) {
    const auto same = [](char a, uint8_t b) { return a == (b >= 'A' && b <= 'Z' ? b | 32 : b); };
    for (*overhang = 0; *overhang < 4; ++*overhang) {
        const char *name = kOverhangs[*overhang];
        if (std::equal(name, name + strlen(name), field.begin, field.end(), same)) return true;
    }
    return false;
}

// The kernels align any bytes, but a space or a byte order mark in a text is a mistake.
bool check_sequence(const TabLine &line, const char *name, const Field &letters) {
    if (letters.size < 1 || letters.size > GKL_SHIM_SMITHWATERMAN_LONGEST)
        return line.wrong("the %s has %lld letters, not 1 to %d", name, (long long)letters.size,
                          GKL_SHIM_SMITHWATERMAN_LONGEST);
    const int64_t wrong = first_failing(letters.begin, letters.size, [](auto bytes) {
        return (bytes > ' ') & (bytes < 127);
    });  // is_graphic()
    if (wrong < 0) return true;
    return line.wrong("letter %lld of the %s is %s, not a printable character of ASCII",
                      (long long)wrong + 1, name,
                      line.reports ? shown_byte(letters.begin[wrong]).c_str() : "");
}

// The sequences of a line.
struct TextPair {
    Field reference, alternative;
};

// Parses a line. `parameters` are the defaults before.
bool parse_line(const TabLine &line, TextPair *pair,
                gkl_shim_smithwaterman_parameters *parameters) {
    Field fields[4];
    const int64_t count = line.split(fields);
    if (count != 2 && count != 4)
        return line.wrong(
            "%lld fields; expected a reference and an alternative, and optionally the scores and "
            "the overhang strategy, separated by TABs",
            (long long)count);
    *pair = {fields[0], fields[1]};
    if (!check_sequence(line, "reference", fields[0]) ||
        !check_sequence(line, "alternative", fields[1]))
        return false;
    if (count == 2) return true;
    if (!parse_scores(fields[2], parameters))
        return line.wrong("the scores are %s, not four whole numbers such as 200,-150,-260,-11",
                          line.reports ? excerpt(fields[2]).c_str() : "");
    if (!parse_overhang(fields[3], &parameters->overhang))
        return line.wrong(
            "the overhang strategy is %s, not one of softclip, indel, leading_indel, ignore",
            line.reports ? excerpt(fields[3]).c_str() : "");
    return true;
}

// Copies the sequences of pairs into the arrays of a batch.
void lay_out(const std::vector<TextPair> &pairs, int threads, int64_t *offsets, uint8_t *letters,
             gkl_shim_smithwaterman_batch *batch) {
    const int64_t count = batch->pairs;
    int64_t *const references = offsets, *const alternatives = offsets + count + 1;
    references[0] = alternatives[0] = 0;
    for (int64_t k = 0; k < count; k++) {
        references[k + 1] = references[k] + pairs[size_t(k)].reference.size;
        alternatives[k + 1] = alternatives[k] + pairs[size_t(k)].alternative.size;
    }
    uint8_t *const alternative_letters = letters + references[count];
    parallel_for_ranges(
        count, 1024, (references[count] + alternatives[count]) / kCopiedPerNanosecond, threads,
        [&](int64_t first, int64_t last) {
            for (int64_t k = first; k < last; k++) {
                const TextPair &pair = pairs[size_t(k)];
                memcpy(letters + references[k], pair.reference.begin, size_t(pair.reference.size));
                memcpy(alternative_letters + alternatives[k], pair.alternative.begin,
                       size_t(pair.alternative.size));
            }
        });
    *batch = {count, references, letters, alternatives, alternative_letters};
}

}  // namespace
}  // namespace gkl_shim::smithwaterman

using namespace gkl_shim;
using namespace gkl_shim::smithwaterman;

extern "C" gkl_shim_status gkl_shim_smithwaterman_parse(
    const uint8_t *text, int64_t size, int64_t capacity, int32_t threads,
    const gkl_shim_smithwaterman_parameters *defaults,
    gkl_shim_smithwaterman_parameters *parameters, int64_t *offsets, uint8_t *letters,
    gkl_shim_smithwaterman_batch *batch, int64_t *used) {
    if (!batch || !used) return invalid("an output is null");
    *batch = {};
    *used = 0;
    if (!check_text(text, size, threads)) return GKL_SHIM_EINVAL;
    if (capacity < 0) return invalid("capacity is %lld, less than 0", (long long)capacity);
    if (!defaults || !offsets) return invalid("an argument is null");
    if (size > 0 && capacity > 0 && (!parameters || !letters)) return invalid("an output is null");
    return guarded([&] {
        const Lines lines(text, size, allowed_threads(threads));
        std::vector<TextPair> pairs(size_t(std::min(capacity, lines.count())));
        const gkl_shim_status status = parse_tab_lines(
            lines, capacity,
            [&](const TabLine &line, int64_t k) {
                parameters[k] = *defaults;
                return parse_line(line, &pairs[size_t(k)], &parameters[k]);
            },
            &batch->pairs, used);
        lay_out(pairs, allowed_threads(threads), offsets, letters, batch);
        return status;
    });
}

extern "C" gkl_shim_status gkl_shim_smithwaterman_format(int64_t pairs, const int64_t *offsets,
                                                         const int64_t *cigar_offsets,
                                                         const char *cigars, int32_t threads,
                                                         uint8_t *text, int64_t *size) {
    if (!size) return invalid("size is null");
    *size = 0;
    if (!check_count("pairs", pairs)) return GKL_SHIM_EINVAL;
    if (threads < 0) return invalid("threads is %d, less than 0", threads);
    if (pairs > 0 && (!offsets || !cigar_offsets || !cigars || !text))
        return invalid("an argument is null");
    return guarded([&] {
        char *const begin = reinterpret_cast<char *>(text);
        const auto room = [&](int64_t k) {
            return k * GKL_SHIM_SMITHWATERMAN_LINE_BYTES + cigar_offsets[k];
        };
        const auto write = [&](int64_t k, char *to) {
            to = std::to_chars(to, to + GKL_SHIM_SMITHWATERMAN_LINE_BYTES, offsets[k]).ptr;
            *to++ = '\t';
            to = std::copy(cigars + cigar_offsets[k], cigars + cigar_offsets[k + 1], to);
            *to = '\n';
            return to + 1;
        };
        *size = format_all(pairs, kNanosecondsALine, allowed_threads(threads), begin, room, write) -
                begin;
    });
}
