// Functions that compute one input with every build that this CPU can run. All builds must accept
// or refuse it alike, and give the same bits.
#pragma once

#include <sstream>

#include "targets.h"

namespace {

std::vector<std::string> builds() {
    std::istringstream names(gkl_shim_builds());
    std::vector<std::string> all;
    for (std::string name; names >> name;) all.push_back(name);
    return all;
}

// What a build answered: a status, and bytes if it was GKL_SHIM_OK.
struct Answer {
    gkl_shim_status status;
    std::vector<uint8_t> bytes;
};

template <class T>
void append(std::vector<uint8_t> &bytes, const T *data, int64_t count) {
    const uint8_t *begin = reinterpret_cast<const uint8_t *>(data);
    bytes.insert(bytes.end(), begin, begin + size_t(count) * sizeof(T));
}

// Calls `answer` with the name of each build, and compares what it returns.
template <class Function>
bool alike(Function answer) {
    static const std::vector<std::string> names = builds();
    const Answer first = answer(names[0].c_str());
    for (size_t k = 1; k < names.size(); k++) {
        const Answer other = answer(names[k].c_str());
        require(first.status == other.status, "two builds return different statuses");
        require(first.bytes == other.bytes, "two builds return different results");
    }
    return accepted(first.status);
}

// Parses a text of regions, and calls `use` with the batch.
template <class Function>
bool with_regions(uint8_t *text, int64_t size, Function use) {
    int64_t lines = 0, bytes = 0;
    computed(gkl_shim_count_lines(text, size, 1, &lines, &bytes));
    Exact<int64_t> offsets(2 * lines + 4);
    Exact<uint8_t> letters(bytes);
    gkl_shim_pairhmm_text found;
    return accepted(
               gkl_shim_pairhmm_parse(text, size, 200, 1, offsets.data, letters.data, &found)) &&
           use(found.batch);
}

bool pairhmm_builds(uint8_t *text, int64_t size) {
    return with_regions(text, size, [](const gkl_shim_pairhmm_batch &batch) {
        return alike([&](const char *build) {
            Answer answer = {GKL_SHIM_OK, {}};
            for (const int32_t precision : {GKL_SHIM_SINGLE, GKL_SHIM_DOUBLE}) {
                gkl_shim_pairhmm_options options = {};
                options.threads = 1, options.precision = precision, options.build = build;
                gkl_shim_pairhmm *opened;
                computed(gkl_shim_pairhmm_open(&options, &opened));
                const Handle<gkl_shim_pairhmm> kept(opened, gkl_shim_pairhmm_close);
                const int64_t count = pairs_of(batch);
                Exact<double> values(count);
                answer.status = gkl_shim_pairhmm_compute(opened, &batch, values.data, count);
                if (answer.status != GKL_SHIM_OK) break;
                append(answer.bytes, values.data, count);
            }
            return answer;
        });
    });
}

// A haplotype's flags are the first bits of the text's bytes, from its end.
bool pdhmm_builds(uint8_t *text, int64_t size) {
    return with_regions(text, size, [&](const gkl_shim_pairhmm_batch &batch) {
        const int64_t letters = batch.haplotype_offsets[batch.region_haplotypes[batch.regions]];
        Exact<uint8_t> flags(letters);
        for (int64_t i = 0; i < letters; i++)
            flags.data[i] = text[size - 1 - i % size] & (i % 3 ? 0 : 0x7F);
        const gkl_shim_pdhmm_batch flagged = {batch, flags.data};
        return alike([&](const char *build) {
            const gkl_shim_pdhmm_options options = {1, GKL_SHIM_AS_GKL, build};
            gkl_shim_pdhmm *opened;
            computed(gkl_shim_pdhmm_open(&options, &opened));
            const Handle<gkl_shim_pdhmm> kept(opened, gkl_shim_pdhmm_close);
            const int64_t count = pairs_of(batch);
            Exact<double> values(count);
            Answer answer = {gkl_shim_pdhmm_compute(opened, &flagged, values.data, count), {}};
            if (answer.status == GKL_SHIM_OK) append(answer.bytes, values.data, count);
            return answer;
        });
    });
}

// Nine bytes are scores, a strategy and a place; there the rest is divided into two sequences.
bool smithwaterman_builds(uint8_t *bytes, int64_t size) {
    if (size < 11) return false;
    const int shift = bytes[6] % 24;  // scores of ordinary size, and those beyond 16 and 32 bits
    const auto score = [&](int at) { return int32_t(int8_t(bytes[at])) * (1 << shift); };
    const gkl_shim_smithwaterman_parameters parameters = {score(0), score(1), score(2), score(3),
                                                          bytes[4] % 4};
    const int64_t letters = size - 9;
    const int64_t cut = 1 + (bytes[7] + 256 * bytes[8]) % (letters - 1);
    const int64_t first[] = {0, cut}, second[] = {0, letters - cut};
    const gkl_shim_smithwaterman_batch batch = {1, first, bytes + 9, second, bytes + 9 + cut};
    return alike([&](const char *build) {
        const gkl_shim_smithwaterman_options options = {1, build};
        gkl_shim_smithwaterman *opened;
        computed(gkl_shim_smithwaterman_open(&options, &opened));
        const Handle<gkl_shim_smithwaterman> kept(opened, gkl_shim_smithwaterman_close);
        int64_t offset, ends[2];
        Exact<char> cigars(2 * letters);
        Answer answer = {gkl_shim_smithwaterman_align(opened, &batch, &parameters, &offset, ends,
                                                      cigars.data, 2 * letters),
                         {}};
        if (answer.status == GKL_SHIM_OK) {
            append(answer.bytes, &offset, 1);
            append(answer.bytes, cigars.data, ends[1]);
        }
        return answer;
    });
}

const int32_t kPrefilterModes[] = {GKL_SHIM_PREFILTER_GLOBAL, GKL_SHIM_PREFILTER_PREFIX,
                                   GKL_SHIM_PREFILTER_INFIX};

// Parses lines of pairs after the first byte, and calls `use` with them. Returns whether all lines
// were accepted.
template <class Function>
bool with_pairs(uint8_t *text, int64_t size, Function use) {
    if (size < 1) return false;
    const int64_t capacity = 40;
    Exact<int64_t> reads(capacity), segments(capacity);
    Exact<int32_t> read_lengths(capacity), segment_lengths(capacity);
    int64_t count = 0, used = 0;
    const bool good = accepted(gkl_shim_prefilter_parse_pairs(
        text + 1, size - 1, capacity, 1, reads.data, read_lengths.data, segments.data,
        segment_lengths.data, &count, &used));
    gkl_shim_prefilter_sequences of_reads = {}, of_segments = {};
    of_reads.letters = of_segments.letters = text + 1;
    of_reads.size = of_segments.size = size - 1;
    of_reads.starts = reads.data, of_reads.lengths = read_lengths.data;
    of_segments.starts = segments.data, of_segments.lengths = segment_lengths.data;
    use(count, of_reads, of_segments);
    return good;
}

// The first byte is the most edits.
bool prefilter_builds(uint8_t *text, int64_t size) {
    return with_pairs(
        text, size,
        [&](int64_t count, const gkl_shim_prefilter_sequences &reads,
            const gkl_shim_prefilter_sequences &segments) {
            for (const int32_t mode : kPrefilterModes)
                alike([&](const char *build) {
                    const gkl_shim_prefilter_options options = {1, GKL_SHIM_PREFILTER_EXACT, mode,
                                                                text[0], build};
                    gkl_shim_prefilter *opened;
                    computed(gkl_shim_prefilter_open(&options, &opened));
                    const Handle<gkl_shim_prefilter> kept(opened, gkl_shim_prefilter_close);
                    Exact<int16_t> results(count);
                    Answer answer = {
                        gkl_shim_prefilter_compute(opened, count, &reads, &segments, results.data),
                        {}};
                    if (answer.status == GKL_SHIM_OK) append(answer.bytes, results.data, count);
                    return answer;
                });
        });
}

const std::map<std::string, Target> kBuilds = {
    {"pairhmm-builds", pairhmm_builds},
    {"pdhmm-builds", pdhmm_builds},
    {"prefilter-builds", prefilter_builds},
    {"smithwaterman-builds", smithwaterman_builds},
};

}  // namespace
