// The text formats of the prefilter: parses pairs and candidates, formats results. Part of the C
// ABI.
#include "common/text.h"

#include <string.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "common/cpu.h"
#include "common/error.h"
#include "gkl_shim.h"
#include "prefilter/cpu/build.h"

namespace gkl_shim {
namespace prefilter {
namespace {

bool is_letter(uint8_t byte) { return uint8_t((byte | 32) - 'a') < 26; }

// A line of TAB-separated fields, which may end in CR LF.
struct Fields : Line {
    explicit Fields(Line line) : Line(line) { end -= end > begin && end[-1] == '\r'; }

    const uint8_t *find(uint8_t byte, const uint8_t *from) const {
        return static_cast<const uint8_t *>(memchr(from, byte, size_t(end - from)));
    }

    bool check_sequence(const char *name, const uint8_t *from, const uint8_t *to) const {
        if (from == to) return wrong("the %s is empty", name);
        if (to - from > kMaxLength)
            return wrong("the %s has %lld bases; at most %d are possible", name,
                         (long long)(to - from), kMaxLength);
        uint8_t other = 0;
        for (const uint8_t *byte = from; byte < to; byte++) other |= uint8_t(!is_letter(*byte));
        if (!other) return true;
        while (is_letter(*from)) from++;
        if (*from > ' ' && *from < 127)
            return wrong("'%c' in column %lld, in the %s, is no letter", *from,
                         (long long)(from - begin + 1), name);
        return wrong("byte 0x%02x in column %lld, in the %s, is no letter", *from,
                     (long long)(from - begin + 1), name);
    }

    // Parses a decimal number in [0, limit).
    bool number(const char *name, const uint8_t *from, const uint8_t *to, int64_t *value) const {
        int64_t sum = 0;
        for (const uint8_t *byte = from; byte < to; byte++) {
            if (*byte < '0' || *byte > '9' || byte - from > 17) {
                from = to;
                break;
            }
            sum = 10 * sum + (*byte - '0');
        }
        if (from == to) return wrong("the %s is not a whole number from 0 on", name);
        *value = sum;
        return true;
    }
};

// Calls parse(fields, k) for each line k of the text, at most `capacity` lines. *good receives the
// number of valid lines before the first invalid one, *used their size in bytes.
template <class Parse>
gkl_shim_status parse_lines(const uint8_t *text, int64_t size, int64_t capacity, int32_t threads,
                            const Parse &parse, int64_t *good, int64_t *used) {
    return guarded([&] {
        const Lines lines(text, size, allowed_threads(threads));
        const auto parse_fields = [&](Line line, int64_t k) { return parse(Fields(line), k); };
        *good = lines.parse(capacity, parse_fields);
        *used = lines.start(*good) - text;
        if (*good == std::min(capacity, lines.count())) return GKL_SHIM_OK;
        parse_fields(lines.loud(*good), *good);
        return GKL_SHIM_EINVAL;
    });
}

gkl_shim_status check_text(const uint8_t *text, int64_t size, int64_t capacity, int32_t threads,
                           int64_t *lines, int64_t *used) {
    if (!lines || !used) return invalid("an output is null");
    *lines = *used = 0;
    if (!check_count("size", size)) return GKL_SHIM_EINVAL;
    if (capacity < 0) return invalid("capacity is %lld, less than 0", (long long)capacity);
    if (threads < 0) return invalid("threads is %d, less than 0", threads);
    if (size > 0 && !text) return invalid("text is null");
    return GKL_SHIM_OK;
}

bool check_contigs(const gkl_shim_prefilter_contigs &contigs) {
    if (contigs.count < 0) return fail("contigs: count is %d, less than 0", contigs.count);
    if (contigs.count == 0) return true;
    if (!contigs.names || !contigs.name_offsets || !contigs.lengths)
        return fail("an array of the contigs is null");
    if (contigs.name_offsets[0] != 0)
        return fail("contigs: offset 0 is %lld, not 0", (long long)contigs.name_offsets[0]);
    for (int32_t k = 0; k < contigs.count; k++)
        if (contigs.name_offsets[k + 1] < contigs.name_offsets[k])
            return fail("contigs: offset %d is less than the one before", k + 1);
    return true;
}

}  // namespace
}  // namespace prefilter
}  // namespace gkl_shim

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
    const auto parse = [&](const Fields &line, int64_t k) {
        const uint8_t *tab = line.find('\t', line.begin);
        if (!tab) return line.wrong("expected a read, a TAB and a segment; there is no TAB");
        if (!line.check_sequence("read", line.begin, tab)) return false;
        if (line.find('\t', tab + 1))
            return line.wrong("expected a read, a TAB and a segment; there is a second TAB");
        if (!line.check_sequence("segment", tab + 1, line.end)) return false;
        read_starts[k] = line.begin - text;
        read_lengths[k] = int32_t(tab - line.begin);
        segment_starts[k] = tab + 1 - text;
        segment_lengths[k] = int32_t(line.end - tab - 1);
        return true;
    };
    return parse_lines(text, size, capacity, threads, parse, pairs, used);
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
    const gkl_shim_status listed = guarded([&] {
        for (int32_t k = 0; k < contigs->count; k++)
            known.emplace(
                std::string_view(contigs->names + contigs->name_offsets[k],
                                 size_t(contigs->name_offsets[k + 1] - contigs->name_offsets[k])),
                k);
        return GKL_SHIM_OK;
    });
    if (listed != GKL_SHIM_OK) return listed;
    const auto parse = [&](const Fields &line, int64_t k) {
        const uint8_t *ends[4];
        int fields = 0;
        const uint8_t *from = line.begin;
        for (; fields < 4; fields++) {
            const uint8_t *tab = line.find('\t', from);
            ends[fields] = tab ? tab : line.end;
            if (!tab) {
                fields++;
                break;
            }
            from = tab + 1;
        }
        if (fields < 3 || ends[fields - 1] != line.end)
            return line.wrong(
                "expected a read's index, a contig, a position and at most a strand, separated by "
                "TABs");
        int64_t read = 0, position = 0;
        if (!line.number("read's index", line.begin, ends[0], &read)) return false;
        if (read >= reads)
            return line.wrong("read %lld: there are %lld reads, counted from 0", (long long)read,
                              (long long)reads);
        const char *name = reinterpret_cast<const char *>(ends[0] + 1);
        const auto found = known.find(std::string_view(name, size_t(ends[1] - ends[0] - 1)));
        if (found == known.end())
            return line.wrong("contig \"%.*s\" is not in the reference",
                              int(std::min<int64_t>(ends[1] - ends[0] - 1, 60)), name);
        if (!line.number("position", ends[1] + 1, ends[2], &position)) return false;
        if (position >= contigs->lengths[found->second])
            return line.wrong(
                "position %lld is past the end of contig \"%.*s\", which has %lld "
                "bases; positions count from 0",
                (long long)position, int(std::min<size_t>(found->first.size(), 60)),
                found->first.data(), (long long)contigs->lengths[found->second]);
        uint8_t strand = '+';
        if (fields == 4) {
            if (ends[3] - ends[2] != 2 || (ends[2][1] != '+' && ends[2][1] != '-'))
                return line.wrong("the strand is neither + nor -");
            strand = ends[2][1];
        }
        read_indices[k] = int32_t(read);
        contig_indices[k] = found->second;
        positions[k] = position;
        reverse[k] = strand == '-';
        return true;
    };
    return parse_lines(text, size, capacity, threads, parse, candidates, used);
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
