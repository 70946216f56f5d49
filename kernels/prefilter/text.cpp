// The text formats of the prefilter: parses pairs and candidates, formats results. Part of the C
// ABI.
#include <string.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "common/error.h"
#include "common/text/bytes.h"
#include "common/text/fields.h"
#include "common/text/printable.h"
#include "gkl_shim.h"
#include "prefilter/cpu/build.h"

namespace gkl_shim::prefilter {
namespace {

bool check_sequence(const TabLine &line, const char *name, const Field &field) {
    if (field.size == 0) return line.wrong("the %s is empty", name);
    if (field.size > kMaxLength)
        return line.wrong("the %s has %lld bases; at most %d are possible", name,
                          (long long)field.size, kMaxLength);
    const int64_t other = first_failing(field.begin, field.size, [](auto bytes) {
        return (bytes | 0x20) - 'a' < 26;  // a vector's bytes wrap around
    });
    if (other < 0) return true;
    const uint8_t byte = field.begin[other];
    const long long column = field.begin + other - line.begin + 1;
    return line.wrong(is_graphic(byte) ? "'%c' in column %lld, in the %s, is no letter"
                                       : "byte 0x%02x in column %lld, in the %s, is no letter",
                      byte, column, name);
}

// Parses a decimal number of at most 18 digits.
bool parse_number(const TabLine &line, const char *name, const Field &field, int64_t *value) {
    int64_t sum = 0;
    bool good = 0 < field.size && field.size <= 18;
    for (int64_t k = 0; good && k < field.size; k++) {
        const uint8_t digit = uint8_t(field.begin[k] - '0');
        good = digit < 10;
        sum = 10 * sum + digit;
    }
    *value = sum;
    return good || line.wrong("the %s is not a whole number from 0 on", name);
}

gkl_shim_status check_text(const uint8_t *text, int64_t size, int64_t capacity, int32_t threads,
                           int64_t *lines, int64_t *used) {
    if (!lines || !used) return invalid("an output is null");
    *lines = *used = 0;
    if (!gkl_shim::check_text(text, size, threads)) return GKL_SHIM_EINVAL;
    if (capacity < 0) return invalid("capacity is %lld, less than 0", (long long)capacity);
    return GKL_SHIM_OK;
}

bool check_contigs(const gkl_shim_prefilter_contigs &contigs) {
    if (contigs.count < 0) return fail("contigs: count is %d, less than 0", contigs.count);
    if (contigs.count == 0) return true;
    if (!contigs.names || !contigs.name_offsets || !contigs.lengths)
        return fail("an array of the contigs is null");
    return check_offsets("contigs", contigs.name_offsets, contigs.count);
}

}  // namespace
}  // namespace gkl_shim::prefilter

using namespace gkl_shim;
using namespace gkl_shim::prefilter;

extern "C" gkl_shim_status gkl_shim_prefilter_parse_pairs(
    const uint8_t *text, int64_t size, int64_t capacity, int32_t threads, int64_t *read_starts,
    int32_t *read_lengths, int64_t *segment_starts, int32_t *segment_lengths, int64_t *pairs,
    int64_t *used) {
    const gkl_shim_status status = check_text(text, size, capacity, threads, pairs, used);
    if (status != GKL_SHIM_OK || size == 0 || capacity == 0) return status;
    if (!read_starts || !read_lengths || !segment_starts || !segment_lengths)
        return invalid("an output is null");
    const auto parse = [&](const TabLine &line, int64_t k) {
        Field fields[2];
        const int64_t count = line.split(fields);
        if (count == 1) return line.wrong("expected a read, a TAB and a segment; there is no TAB");
        const Field &read = fields[0], &segment = fields[1];
        if (!check_sequence(line, "read", read)) return false;
        if (count > 2)
            return line.wrong("expected a read, a TAB and a segment; there is a second TAB");
        if (!check_sequence(line, "segment", segment)) return false;
        read_starts[k] = read.begin - text;
        read_lengths[k] = int32_t(read.size);
        segment_starts[k] = segment.begin - text;
        segment_lengths[k] = int32_t(segment.size);
        return true;
    };
    return guarded([&] {
        const Lines lines(text, size, allowed_threads(threads));
        return parse_tab_lines(lines, capacity, parse, pairs, used);
    });
}

extern "C" gkl_shim_status gkl_shim_prefilter_parse_candidates(
    const uint8_t *text, int64_t size, int64_t capacity, int32_t threads, int64_t reads,
    const gkl_shim_prefilter_contigs *contigs, int32_t *read_indices, int32_t *contig_indices,
    int64_t *positions, uint8_t *reverse, int64_t *candidates, int64_t *used) {
    const gkl_shim_status status = check_text(text, size, capacity, threads, candidates, used);
    if (status != GKL_SHIM_OK || size == 0 || capacity == 0) return status;
    if (!contigs || !read_indices || !contig_indices || !positions || !reverse)
        return invalid("an argument is null");
    if (reads < 0 || reads > INT32_MAX)
        return invalid("reads is %lld, not 0 to %d", (long long)reads, INT32_MAX);
    if (!check_contigs(*contigs)) return GKL_SHIM_EINVAL;
    std::unordered_map<std::string_view, int32_t> known;
    const auto parse = [&](const TabLine &line, int64_t k) {
        Field fields[4];
        const int64_t count = line.split(fields);
        if (count < 3 || count > 4)
            return line.wrong(
                "expected a read's index, a contig, a position and at most a strand, separated by "
                "TABs");
        int64_t read = 0, position = 0;
        if (!parse_number(line, "read's index", fields[0], &read)) return false;
        if (read >= reads)
            return line.wrong("read %lld: there are %lld reads, counted from 0", (long long)read,
                              (long long)reads);
        const std::string_view name(reinterpret_cast<const char *>(fields[1].begin),
                                    size_t(fields[1].size));
        const int shown = int(std::min<size_t>(name.size(), 60));
        const auto found = known.find(name);
        if (found == known.end())
            return line.wrong("contig \"%.*s\" is not in the reference", shown, name.data());
        if (!parse_number(line, "position", fields[2], &position)) return false;
        if (position >= contigs->lengths[found->second])
            return line.wrong(
                "position %lld is past the end of contig \"%.*s\", which has %lld "
                "bases; positions count from 0",
                (long long)position, shown, name.data(),
                (long long)contigs->lengths[found->second]);
        const uint8_t strand = count == 4 && fields[3].size == 1 ? *fields[3].begin : '+';
        if (count == 4 && (fields[3].size != 1 || (strand != '+' && strand != '-')))
            return line.wrong("the strand is neither + nor -");
        read_indices[k] = int32_t(read);
        contig_indices[k] = found->second;
        positions[k] = position;
        reverse[k] = strand == '-';
        return true;
    };
    return guarded([&] {
        for (int32_t k = 0; k < contigs->count; k++) {
            const int64_t *const at = contigs->name_offsets + k;
            known.emplace(std::string_view(contigs->names + at[0], size_t(at[1] - at[0])), k);
        }
        const Lines lines(text, size, allowed_threads(threads));
        return parse_tab_lines(lines, capacity, parse, candidates, used);
    });
}

extern "C" gkl_shim_status gkl_shim_prefilter_format(const int16_t *results, int64_t pairs,
                                                     int32_t reject_undefined, uint8_t *text,
                                                     int64_t *size) {
    if (!size) return invalid("size is null");
    *size = 0;
    if (!check_count("pairs", pairs)) return GKL_SHIM_EINVAL;
    if (pairs > 0 && (!results || !text))
        return invalid("%s is null", results ? "text" : "results");
    uint8_t *out = text;
    for (int64_t k = 0; k < pairs; k++) {
        const int result = results[k];
        const char *verdict = "\tpass\n";
        if (result < 0) {
            *out++ = '-';
            *out++ = result == kAbove ? '1' : '2';
            verdict = result == kAbove || reject_undefined ? "\treject\n" : "\tundefined\n";
        } else {
            if (result >= 100) *out++ = uint8_t('0' + result / 100);
            if (result >= 10) *out++ = uint8_t('0' + result / 10 % 10);
            *out++ = uint8_t('0' + result % 10);
        }
        const size_t length = strlen(verdict);
        memcpy(out, verdict, length);
        out += length;
    }
    *size = out - text;
    return GKL_SHIM_OK;
}
