// Functions that compute one input with every build that this CPU can run. All builds must accept
// or refuse it alike, and give the same bits.
#pragma once

#include <sstream>

#include "hmm/cuda/planner/span.h"
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

// Each sequence of a list, repeated.
class Repeated {
   public:
    Repeated(const int64_t *given, int64_t count, int64_t copies)
        : given_(given, given + count + 1), copies_(copies) {
        for (const int64_t offset : given_) offsets.push_back(offset * copies);
    }
    std::vector<uint8_t> letters(const uint8_t *from) const {
        std::vector<uint8_t> made(size_t(offsets.back()));
        auto to = made.begin();
        for (size_t k = 1; k < given_.size(); k++)
            for (int64_t copy = 0; copy < copies_; copy++)
                to = std::copy(from + given_[k - 1], from + given_[k], to);
        return made;
    }

    std::vector<int64_t> offsets;

   private:
    const std::vector<int64_t> given_;
    const int64_t copies_;
};

// A batch with longer sequences than a text of few kilobytes has.
class LongerBatch {
   public:
    LongerBatch(const gkl_shim_pairhmm_batch &from, int64_t of_reads, int64_t of_haplotypes)
        : reads_(from.read_offsets, from.region_reads[from.regions], of_reads),
          haplotypes_(from.haplotype_offsets, from.region_haplotypes[from.regions], of_haplotypes),
          haplotype_bases_(haplotypes_.letters(from.haplotype_bases)) {
        batch = from;
        batch.read_offsets = reads_.offsets.data();
        batch.haplotype_offsets = haplotypes_.offsets.data();
        batch.haplotype_bases = haplotype_bases_.data();
        for (int k = 0; k < gkl_shim::pairhmm::kReadTrackCount; k++) {
            const auto track = gkl_shim::pairhmm::kReadTracks[k];
            tracks_[k] = reads_.letters(from.*track);
            batch.*track = tracks_[k].data();
        }
    }

    gkl_shim_pairhmm_batch batch;

   private:
    const Repeated reads_, haplotypes_;
    const std::vector<uint8_t> haplotype_bases_;
    std::vector<uint8_t> tracks_[gkl_shim::pairhmm::kReadTrackCount];
};

int64_t cells_of(const gkl_shim_pairhmm_batch &batch) {
    int64_t cells = 0;
    for (int64_t g = 0; g < batch.regions; g++)
        cells += (batch.read_offsets[batch.region_reads[g + 1]] -
                  batch.read_offsets[batch.region_reads[g]]) *
                 (batch.haplotype_offsets[batch.region_haplotypes[g + 1]] -
                  batch.haplotype_offsets[batch.region_haplotypes[g]]);
    return cells;
}

// How often letters are repeated: as a byte of the input says, but not so often that there are more
// cells. All kernels together, with sanitizers, compute some million of them a second.
int64_t copies_of(uint8_t byte, int64_t cells) {
    const int64_t most_cells = 1 << 17;
    return std::max<int64_t>(std::min<int64_t>(1 + byte, most_cells / cells), 1);
}

// Two bytes say how often the letters of each read and of each haplotype are repeated, and a third
// one is given to `use`, beside the batch. The rest is a text of regions.
template <class Function>
bool with_regions(uint8_t *text, int64_t size, Function use) {
    const int64_t head = 3;
    if (size < head) return false;
    const uint8_t of_reads = text[0], of_haplotypes = text[1], choice = text[2];
    text += head;
    size -= head;
    int64_t lines = 0, bytes = 0;
    computed(gkl_shim_count_lines(text, size, 1, &lines, &bytes));
    Exact<int64_t> offsets(2 * lines + 4);
    Exact<uint8_t> letters(bytes);
    gkl_shim_pairhmm_text found;
    if (!accepted(
            gkl_shim_pairhmm_parse(text, size, 1 << 12, 1, offsets.data, letters.data, &found)))
        return false;
    const int64_t cells = cells_of(found.batch) + 1;
    const int64_t read_copies = copies_of(of_reads, cells);
    const LongerBatch longer(found.batch, read_copies,
                             copies_of(of_haplotypes, cells * read_copies));
    return use(longer.batch, choice);
}

// GATK's or the strict conventions.
int32_t conventions_of(uint8_t choice) { return choice & 1 ? GKL_SHIM_AS_GKL : GKL_SHIM_STRICT; }

bool pairhmm_builds(uint8_t *text, int64_t size) {
    return with_regions(text, size, [](const gkl_shim_pairhmm_batch &batch, uint8_t choice) {
        return alike([&](const char *build) {
            Answer answer = {GKL_SHIM_OK, {}};
            for (const int32_t precision : {GKL_SHIM_SINGLE, GKL_SHIM_DOUBLE}) {
                gkl_shim_pairhmm_options options = {};
                options.threads = 1, options.precision = precision, options.build = build;
                options.conventions = conventions_of(choice);
                const auto engine = opened(gkl_shim_pairhmm_close, gkl_shim_pairhmm_open, &options);
                const int64_t count = pairs_of(batch);
                Exact<double> values(count);
                answer.status = gkl_shim_pairhmm_compute(engine, &batch, values.data, count);
                if (answer.status != GKL_SHIM_OK) break;
                append(answer.bytes, values.data, count);
            }
            return answer;
        });
    });
}

// A haplotype's flags are the first bits of the text's bytes, from its end.
bool pdhmm_builds(uint8_t *text, int64_t size) {
    return with_regions(text, size, [&](const gkl_shim_pairhmm_batch &batch, uint8_t choice) {
        const int64_t letters = batch.haplotype_offsets[batch.region_haplotypes[batch.regions]];
        Exact<uint8_t> flags(letters);
        for (int64_t i = 0; i < letters; i++)
            flags.data[i] = text[size - 1 - i % size] & (i % 3 ? 0 : 0x7F);
        const gkl_shim_pdhmm_batch flagged = {batch, flags.data};
        return alike([&](const char *build) {
            const gkl_shim_pdhmm_options options = {1, conventions_of(choice), build};
            const auto engine = opened(gkl_shim_pdhmm_close, gkl_shim_pdhmm_open, &options);
            const int64_t count = pairs_of(batch);
            Exact<double> values(count);
            Answer answer = {gkl_shim_pdhmm_compute(engine, &flagged, values.data, count), {}};
            if (answer.status == GKL_SHIM_OK) append(answer.bytes, values.data, count);
            return answer;
        });
    });
}

// Eight bytes: four scores, the strategy, the factor of the scores, and how often the letters of
// each sequence are repeated, references and alternatives. The lines after them are a reference and
// an alternative by turns; a last line alone is left out.
bool smithwaterman_builds(uint8_t *bytes, int64_t size) {
    const int64_t head = 8;
    if (size < head) return false;
    const int shift = bytes[5] % 24;  // scores of ordinary size, and those beyond 16 and 32 bits
    const auto score = [&](int at) { return int32_t(int8_t(bytes[at])) * (1 << shift); };
    const gkl_shim_smithwaterman_parameters parameters = {score(0), score(1), score(2), score(3),
                                                          bytes[4] % 4};
    std::vector<int64_t> offsets[2] = {{0}, {0}};
    std::vector<uint8_t> letters[2];
    for (int64_t at = head, line = 0; at < size; line++) {
        const int64_t end = std::find(bytes + at, bytes + size, '\n') - bytes;
        letters[line % 2].insert(letters[line % 2].end(), bytes + at, bytes + end);
        offsets[line % 2].push_back(int64_t(letters[line % 2].size()));
        at = end + 1;
    }
    const int64_t pairs = int64_t(offsets[1].size()) - 1;
    if (pairs == 0) return false;
    int64_t cells = 1;
    for (size_t k = 1; k < offsets[1].size(); k++)
        cells += (offsets[0][k] - offsets[0][k - 1]) * (offsets[1][k] - offsets[1][k - 1]);
    const int64_t of_references = copies_of(bytes[6], cells);
    const int64_t of_alternatives = copies_of(bytes[7], cells * of_references);
    const Repeated references(offsets[0].data(), pairs, of_references);
    const Repeated alternatives(offsets[1].data(), pairs, of_alternatives);
    const std::vector<uint8_t> first = references.letters(letters[0].data());
    const std::vector<uint8_t> second = alternatives.letters(letters[1].data());
    const gkl_shim_smithwaterman_batch batch = {pairs, references.offsets.data(), first.data(),
                                                alternatives.offsets.data(), second.data()};
    const auto answer = [&](const char *build, decltype(&gkl_shim_smithwaterman_align) align) {
        const gkl_shim_smithwaterman_options options = {1, build};
        const auto engine =
            opened(gkl_shim_smithwaterman_close, gkl_shim_smithwaterman_open, &options);
        const int64_t room = 2 * int64_t(first.size() + second.size());
        Exact<int64_t> starts(pairs), ends(pairs + 1);
        Exact<char> cigars(room);
        Answer made = {
            align(engine, &batch, &parameters, starts.data, ends.data, cigars.data, room), {}};
        if (made.status == GKL_SHIM_OK) {
            append(made.bytes, starts.data, pairs);
            append(made.bytes, ends.data, pairs + 1);
            append(made.bytes, cigars.data, ends.data[pairs]);
        }
        return made;
    };
    const Answer exact = answer("portable", gkl_shim_smithwaterman_align_exactly);
    return alike([&](const char *build) {
        Answer made = answer(build, gkl_shim_smithwaterman_align);
        require(made.status == exact.status && made.bytes == exact.bytes,
                "a build and the exact way differ");
        return made;
    });
}

const int32_t kPrefilterModes[] = {GKL_SHIM_PREFILTER_GLOBAL, GKL_SHIM_PREFILTER_PREFIX,
                                   GKL_SHIM_PREFILTER_INFIX};

// Each sequence of a list, repeated, behind its first letter `run` times.
class LongerSequences {
   public:
    LongerSequences(const uint8_t *text, int64_t count, const int64_t *starts,
                    const int32_t *lengths, int64_t copies, int64_t run) {
        for (int64_t k = 0; k < count; k++) {
            const uint8_t *const from = text + starts[k], *const end = from + lengths[k];
            starts_.push_back(int64_t(letters_.size()));
            if (from < end) letters_.insert(letters_.end(), size_t(run), *from);
            for (int64_t copy = 0; copy < copies; copy++)
                letters_.insert(letters_.end(), from, end);
            lengths_.push_back(int32_t(int64_t(letters_.size()) - starts_.back()));
        }
        letters_.shrink_to_fit();  // so that the sanitizer sees every access beyond them
        sequences.letters = letters_.data();
        sequences.size = int64_t(letters_.size());
        sequences.starts = starts_.data();
        sequences.lengths = lengths_.data();
    }
    LongerSequences(const LongerSequences &) = delete;

    gkl_shim_prefilter_sequences sequences = {};

   private:
    std::vector<uint8_t> letters_;
    std::vector<int64_t> starts_;
    std::vector<int32_t> lengths_;
};

// What the first bytes of the input are.
enum PairsHead {
    kMaxEdits,
    kReadCopies,
    kSegmentCopies,
    kReadRun,
    kSegmentRun,
    kChoice,
    kPairsHead
};

// Parses lines of pairs after the head, and calls `use` with longer sequences. Returns whether all
// lines were accepted.
template <class Function>
bool with_pairs(uint8_t *text, int64_t size, Function use) {
    if (size < kPairsHead) return false;
    const uint8_t *const head = text;
    text += kPairsHead;
    size -= kPairsHead;
    const int64_t capacity = 40;
    Exact<int64_t> reads(capacity), segments(capacity);
    Exact<int32_t> read_lengths(capacity), segment_lengths(capacity);
    int64_t count = 0, used = 0;
    const bool good = accepted(gkl_shim_prefilter_parse_pairs(text, size, capacity, 1, reads.data,
                                                              read_lengths.data, segments.data,
                                                              segment_lengths.data, &count, &used));
    const LongerSequences of_reads(text, count, reads.data, read_lengths.data,
                                   1 + head[kReadCopies] % 8, head[kReadRun]);
    const LongerSequences of_segments(text, count, segments.data, segment_lengths.data,
                                      1 + head[kSegmentCopies] % 8, head[kSegmentRun]);
    use(count, of_reads.sequences, of_segments.sequences);
    return good;
}

bool prefilter_builds(uint8_t *text, int64_t size) {
    return with_pairs(
        text, size,
        [&](int64_t count, const gkl_shim_prefilter_sequences &reads,
            const gkl_shim_prefilter_sequences &segments) {
            for (const int32_t mode : kPrefilterModes)
                alike([&](const char *build) {
                    const gkl_shim_prefilter_options options = {1, GKL_SHIM_PREFILTER_EXACT, mode,
                                                                text[kMaxEdits], build};
                    const auto engine =
                        opened(gkl_shim_prefilter_close, gkl_shim_prefilter_open, &options);
                    Exact<int16_t> results(count);
                    Answer answer = {
                        gkl_shim_prefilter_compute(engine, count, &reads, &segments, results.data),
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
