// Functions that each give one reader of the library some bytes, and compute with what it accepts.
//
// replay.cpp calls them with files and damaged files, fuzz.cpp with libFuzzer's
// input. Each returns whether the input was accepted, and ends the process at a wrong answer.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gkl_shim_internal.h"

namespace {

void require(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "%s; the last error: %s\n", what, gkl_shim_last_error());
    exit(1);
}

// Whether input was accepted. Input may only be refused with a message.
bool accepted(gkl_shim_status status) {
    if (status == GKL_SHIM_OK) return true;
    require(status == GKL_SHIM_EINVAL, "a status other than GKL_SHIM_EINVAL");
    require(*gkl_shim_last_error() != '\0', "no message");
    return false;
}

void computed(gkl_shim_status status) { require(status == GKL_SHIM_OK, "a call failed"); }

// An array of exactly this size on the heap.
template <class T>
struct Exact {
    explicit Exact(int64_t count) : data(static_cast<T *>(malloc(size_t(count) * sizeof(T)))) {}
    ~Exact() { free(data); }
    Exact(const Exact &) = delete;
    T *const data;
};

// A handle of the library, which closes itself.
template <class T>
struct Handle : std::unique_ptr<T, void (*)(T *)> {
    using std::unique_ptr<T, void (*)(T *)>::unique_ptr;
    operator T *() const { return this->get(); }
};

template <class T, class Open, class... Arguments>
Handle<T> opened(void (*close)(T *), Open open, const Arguments &...arguments) {
    T *made;
    computed(open(arguments..., &made));
    return {made, close};
}

template <class T>
void append(std::vector<uint8_t> &bytes, const T *data, int64_t count) {
    const uint8_t *begin = reinterpret_cast<const uint8_t *>(data);
    bytes.insert(bytes.end(), begin, begin + size_t(count) * sizeof(T));
}

int64_t pairs_of(const gkl_shim_pairhmm_batch &batch) {
    int64_t pairs = 0;
    for (int64_t g = 0; g < batch.regions; g++)
        pairs += (batch.region_reads[g + 1] - batch.region_reads[g]) *
                 (batch.region_haplotypes[g + 1] - batch.region_haplotypes[g]);
    return pairs;
}

bool regions(uint8_t *text, int64_t size) {
    int64_t lines = 0, bytes = 0;
    computed(gkl_shim_count_lines(text, size, 2, &lines, &bytes));
    Exact<int64_t> offsets(2 * lines + 4);
    Exact<uint8_t> letters(bytes);
    gkl_shim_pairhmm_text found;
    if (!accepted(gkl_shim_pairhmm_parse(text, size, 200, 2, offsets.data, letters.data, &found)))
        return false;
    require(found.used <= size && found.lines <= lines, "more was read than there is");
    const gkl_shim_pairhmm_batch &batch = found.batch;
    computed(gkl_shim_pairhmm_check(&batch));
    const int64_t pairs = pairs_of(batch);
    const auto pairhmm = opened(gkl_shim_pairhmm_close, gkl_shim_pairhmm_open, nullptr);
    Exact<double> values(pairs);
    return accepted(gkl_shim_pairhmm_compute(pairhmm, &batch, values.data, pairs));
}

bool flagged(uint8_t *text, int64_t size) {
    int64_t lines = 0, bytes = 0;
    computed(gkl_shim_count_lines(text, size, 2, &lines, &bytes));
    Exact<int64_t> offsets(2 * lines + 4);
    Exact<uint8_t> letters(bytes);
    gkl_shim_pdhmm_text found;
    if (!accepted(gkl_shim_pdhmm_parse(text, size, 200, 2, offsets.data, letters.data, &found)))
        return false;
    require(found.text.used <= size && found.text.lines <= lines, "more was read than there is");
    const gkl_shim_pdhmm_batch batch = {found.text.batch, found.haplotype_flags};
    computed(gkl_shim_pdhmm_check(&batch));
    const int64_t pairs = pairs_of(batch.pairs);
    const auto pdhmm = opened(gkl_shim_pdhmm_close, gkl_shim_pdhmm_open, nullptr);
    Exact<double> values(pairs);
    computed(gkl_shim_pdhmm_compute(pdhmm, &batch, values.data, pairs));
    return true;
}

bool pairs(uint8_t *text, int64_t size) {
    const int64_t capacity = 5;
    Exact<int64_t> reads(capacity), segments(capacity);
    Exact<int32_t> read_lengths(capacity), segment_lengths(capacity);
    int64_t count = 0, used = 0;
    const bool good = accepted(gkl_shim_prefilter_parse_pairs(text, size, capacity, 2, reads.data,
                                                              read_lengths.data, segments.data,
                                                              segment_lengths.data, &count, &used));
    require(count <= capacity && used <= size, "more was read than there is");
    const gkl_shim_prefilter_options options = {2, 0, GKL_SHIM_PREFILTER_INFIX, 3, nullptr};
    const auto prefilter = opened(gkl_shim_prefilter_close, gkl_shim_prefilter_open, &options);
    gkl_shim_prefilter_sequences of_reads = {}, of_segments = {};
    of_reads.letters = of_segments.letters = text;
    of_reads.size = of_segments.size = size;
    of_reads.starts = reads.data, of_reads.lengths = read_lengths.data;
    of_segments.starts = segments.data, of_segments.lengths = segment_lengths.data;
    Exact<int16_t> results(count);
    computed(gkl_shim_prefilter_compute(prefilter, count, &of_reads, &of_segments, results.data));
    return good;
}

bool alignable(uint8_t *text, int64_t size) {
    const int64_t capacity = 5;
    const gkl_shim_smithwaterman_parameters defaults = {200, -150, -260, -11, 0};
    Exact<gkl_shim_smithwaterman_parameters> parameters(capacity);
    Exact<int64_t> offsets(2 * capacity + 2);
    Exact<uint8_t> letters(size);
    gkl_shim_smithwaterman_batch batch;
    int64_t used = 0;
    const bool good =
        accepted(gkl_shim_smithwaterman_parse(text, size, capacity, 2, &defaults, parameters.data,
                                              offsets.data, letters.data, &batch, &used));
    require(batch.pairs <= capacity && used <= size, "more was read than there is");
    const auto aligner = opened(gkl_shim_smithwaterman_close, gkl_shim_smithwaterman_open, nullptr);
    const int64_t room =
        2 * (batch.reference_offsets[batch.pairs] + batch.alternative_offsets[batch.pairs]);
    Exact<int64_t> starts(batch.pairs), ends(batch.pairs + 1);
    Exact<char> cigars(room);
    Exact<int64_t> exact_starts(batch.pairs), exact_ends(batch.pairs + 1);
    Exact<char> exact_cigars(room);
    for (int64_t k = 0; k < batch.pairs; k++) {
        computed(gkl_shim_smithwaterman_align(aligner, &batch, &parameters.data[k], starts.data,
                                              ends.data, cigars.data, room));
        computed(gkl_shim_smithwaterman_align_exactly(aligner, &batch, &parameters.data[k],
                                                      exact_starts.data, exact_ends.data,
                                                      exact_cigars.data, room));
        require(
            std::equal(starts.data, starts.data + batch.pairs, exact_starts.data) &&
                std::equal(ends.data, ends.data + batch.pairs + 1, exact_ends.data) &&
                std::equal(cigars.data, cigars.data + ends.data[batch.pairs], exact_cigars.data),
            "the kernels and the exact way differ");
    }
    if (batch.pairs == 0) return good;
    const int64_t most = GKL_SHIM_SMITHWATERMAN_LINE_BYTES * batch.pairs + ends.data[batch.pairs];
    Exact<uint8_t> out(most);
    int64_t written;
    computed(gkl_shim_smithwaterman_format(batch.pairs, starts.data, ends.data, cigars.data, 2,
                                           out.data, &written));
    require(std::count(out.data, out.data + written, '\n') == batch.pairs, "not a line a pair");
    return good;
}

bool candidates(uint8_t *text, int64_t size) {
    const int64_t capacity = 5, reads = 3;
    const int64_t name_offsets[] = {0, 4, 8}, lengths[] = {100, INT32_MAX};
    const gkl_shim_prefilter_contigs contigs = {2, "chr1chrM", name_offsets, lengths};
    Exact<int32_t> read(capacity), contig(capacity);
    Exact<int64_t> position(capacity);
    Exact<uint8_t> reverse(capacity);
    int64_t count = 0, used = 0;
    const bool good = accepted(gkl_shim_prefilter_parse_candidates(
        text, size, capacity, 2, reads, &contigs, read.data, contig.data, position.data,
        reverse.data, &count, &used));
    require(count <= capacity && used <= size, "more was read than there is");
    for (int64_t k = 0; k < count; k++)
        require(0 <= read.data[k] && read.data[k] < reads && 0 <= contig.data[k] &&
                    contig.data[k] < contigs.count && 0 <= position.data[k] &&
                    position.data[k] < lengths[contig.data[k]],
                "a candidate is out of range");
    return good;
}

void append_matches(std::vector<uint8_t> &bytes, gkl_shim_mem_matches *matches) {
    const int64_t count = gkl_shim_mem_count(matches);
    Exact<gkl_shim_mem_match> copied(count);
    computed(gkl_shim_mem_copy(matches, copied.data));
    append(bytes, copied.data, count);
}

// Searches an index, and writes the matches. Returns them.
std::vector<uint8_t> search(gkl_shim_mem *index, const gkl_shim_mem_sequences &queries) {
    std::vector<uint8_t> all;
    gkl_shim_mem_info information;
    computed(gkl_shim_mem_information(index, &information));
    const std::vector<int64_t> no_names(size_t(std::max(information.sequences, queries.count) + 1));
    const uint8_t none[1] = {};
    const gkl_shim_mem_sequences references = {information.sequences, no_names.data(), none};
    const gkl_shim_mem_sequences names = {queries.count, no_names.data(), none};
    for (const int32_t kind : {GKL_SHIM_MEM_ALL, GKL_SHIM_MEM_MUMREFERENCE, GKL_SHIM_MEM_MUM}) {
        gkl_shim_mem_search how = {};
        how.min_length = information.min_length, how.kind = kind, how.strands = GKL_SHIM_MEM_BOTH;
        const auto matches =
            opened(gkl_shim_mem_matches_close, gkl_shim_mem_find, index, &queries, &how);
        append_matches(all, matches);
        const gkl_shim_mem_format format = {&references, &names, 1, 1, 1, 1, 0};
        const auto writer =
            opened(gkl_shim_mem_lines_close, gkl_shim_mem_lines_open, matches, &format);
        const uint8_t *part;
        int64_t size;
        do computed(gkl_shim_mem_lines_next(writer, &part, &size));
        while (size > 0);
    }
    return all;
}

bool fasta(uint8_t *text, int64_t size) {
    const auto fasta = opened(gkl_shim_mem_fasta_close, gkl_shim_mem_parse, text, size, 2);
    gkl_shim_mem_sequences sequences, names;
    gkl_shim_mem_fasta_sequences(fasta, &sequences, &names);
    std::vector<uint8_t> matches[2];
    for (const bool divided : {false, true}) {
        gkl_shim_mem_options options = {};
        options.threads = 2, options.min_length = 5;
        if (divided) options.page_letters = 7;
        const auto index = opened(gkl_shim_mem_close, gkl_shim_mem_open, &options, &sequences);
        matches[divided] = search(index, sequences);
    }
    require(matches[0] == matches[1], "an index in pages finds other matches");
    return true;
}

// A saved index. Its checksum is not tested (saved_index.cpp), so that searches of an index that
// only looks sound are fuzzed, too.
bool index(uint8_t *bytes, int64_t size) {
    // The head says how large a table is, as a power of two. One may take gigabytes.
    const int64_t place_of_bits = 8, most_bits = 16;
    int64_t bits = 0;
    if (size >= (place_of_bits + 2) * 8) memcpy(&bits, bytes + place_of_bits * 8, sizeof bits);
    if (bits > most_bits) return false;
    gkl_shim_mem *opened;
    if (!accepted(gkl_shim_mem_load(bytes, size, 2, &opened))) return false;
    const Handle<gkl_shim_mem> loaded(opened, gkl_shim_mem_close);
    const uint8_t letters[] = "ACGTTGCATTACGACGNGATTACA";
    const int64_t offsets[] = {0, 16, 24};
    search(opened, {2, offsets, letters});
    return true;
}

// The k-mers of a short genome that is read three times. They are never freed.
const gkl_shim_correct_spectrum *solid_kmers() {
    const char *const read = ">\nACGTTGCATTACGACGTGATTACAGATTACAGGCATGCTTGACCATG\n";
    std::string text = std::string(read) + read + read;
    const auto chunk = opened(gkl_shim_correct_chunk_close, gkl_shim_correct_chunk_open, 1, 0);
    int64_t records, bases, end;
    computed(gkl_shim_correct_chunk_parse(chunk, reinterpret_cast<uint8_t *>(&text[0]),
                                          int64_t(text.size()), 1, 0, &records, &bases, &end));
    const auto counter =
        opened(gkl_shim_correct_counter_close, gkl_shim_correct_counter_open, 11, 1, 0, 2, nullptr);
    computed(gkl_shim_correct_chunk_count(chunk, counter));
    int32_t complete;
    computed(gkl_shim_correct_end_pass(counter, &complete));
    return opened(gkl_shim_correct_spectrum_close, gkl_shim_correct_spectrum_make, counter, 2)
        .release();
}

bool reads(uint8_t *text, int64_t size) {
    const auto chunk = opened(gkl_shim_correct_chunk_close, gkl_shim_correct_chunk_open, 2, 0);
    int64_t records, bases, end;
    const int32_t whole = size > 0 && text[size - 1] == '\n';
    if (!accepted(
            gkl_shim_correct_chunk_parse(chunk, text, size, whole, 0, &records, &bases, &end)))
        return false;
    require(end <= size, "more was read than there is");
    static const gkl_shim_correct_spectrum *const solid = solid_kmers();
    gkl_shim_correct_options options = {};
    options.threads = 2;
    gkl_shim_correct_totals totals = {};
    computed(gkl_shim_correct_chunk_correct(chunk, &options, solid, &totals));
    Exact<uint8_t> out(end);
    int64_t written;
    gkl_shim_correct_removed removed = {};
    computed(gkl_shim_correct_chunk_write(chunk, nullptr, 0, 1, 0, out.data, &written, &removed));
    require(written <= end && removed.trimmed <= records, "more was written than was read");
    require(removed.trimmed_bases <= bases, "more was cut off than was read");
    int32_t first = 0;
    accepted(gkl_shim_correct_chunk_compare_names(chunk, nullptr, 0, &first));
    return true;
}

// A spectrum as bytes: k and the threshold, the size, and the slots.
bool spectrum(uint8_t *bytes, int64_t size) {
    struct {
        int32_t k, threshold;
        uint64_t size;
    } head;
    if (size < int64_t(sizeof head)) return false;
    memcpy(&head, bytes, sizeof head);
    gkl_shim_correct_spectrum_info facts = {};
    facts.k = head.k, facts.threshold = head.threshold, facts.size = head.size;
    facts.slot_count = uint64_t(size - int64_t(sizeof head)) / sizeof(uint32_t);
    facts.slots = reinterpret_cast<uint32_t *>(bytes + sizeof head);
    gkl_shim_correct_spectrum *opened;
    if (!accepted(gkl_shim_correct_spectrum_load(&facts, &opened))) return false;
    const Handle<gkl_shim_correct_spectrum> loaded(opened, gkl_shim_correct_spectrum_close);
    const uint8_t letters[] = "ACGTTGCATTACGACGTGATTACAGATTACAGGCATGCNTGACCATG";
    const int64_t offsets[] = {0, 46};
    const gkl_shim_correct_batch batch = {1, offsets, letters, nullptr};
    for (const int32_t method : {GKL_SHIM_CORRECT_SEARCH, GKL_SHIM_CORRECT_VOTING}) {
        gkl_shim_correct_options options = {};
        options.method = method;
        Exact<uint8_t> corrected(46), states(1);
        Exact<int32_t> begins(1), ends(1);
        computed(gkl_shim_correct_reads(&options, opened, &batch, corrected.data, states.data,
                                        begins.data, ends.data));
        require(0 <= begins.data[0] && begins.data[0] <= ends.data[0] && ends.data[0] <= 46,
                "a part of a read is out of range");
    }
    return true;
}

// Opens a run with two sequences, and the read groups and programs that seeds have. Every second
// one is replaced, of the tags for which options say so. The record has no other read group.
Handle<gkl_shim_duplicates_run> open_run(int32_t options, const char *const tags[]) {
    const bool renames_groups = options & GKL_SHIM_DUPLICATES_RENAMES_GROUPS;
    const bool renames_programs =
        options & (GKL_SHIM_DUPLICATES_SETS_PROGRAM | GKL_SHIM_DUPLICATES_RENAMES_PROGRAMS);
    std::vector<gkl_shim_duplicates_text> texts;
    for (const char *text : {static_cast<const char *>(nullptr), "", "A", "B", "group", "bwa"}) {
        const bool is_new = texts.size() % 4 == 2;
        texts.push_back(
            {0, int32_t(texts.size()) / 2, text, is_new && renames_groups ? "new" : nullptr});
        texts.push_back({0, -1, text, !is_new && renames_programs ? "newer" : nullptr});
    }
    const char *const names[] = {"a", "bc"};
    const int32_t lengths[] = {1000, 1 << 29};
    gkl_shim_duplicates_facts facts = {options,      2, names, lengths, int32_t(texts.size()),
                                       texts.data(), {}};
    for (int k = 0; tags != nullptr && k < GKL_SHIM_DUPLICATES_NAMED_TAGS; k++)
        facts.tags[k] = uint16_t(tags[k][0] | tags[k][1] << 8);
    return opened(gkl_shim_duplicates_close, gkl_shim_duplicates_open, &facts);
}

// Marks records. Returns how many are unusual.
int32_t marked(const gkl_shim_duplicates_run *run, const gkl_shim_duplicates_records &records,
               std::vector<uint8_t> *bytes, std::vector<int32_t> *ends) {
    ends->assign(size_t(records.count), 0);
    Exact<uint8_t> marks(records.count),
        room(records.size + records.count * gkl_shim_duplicates_growth(run));
    for (int32_t k = 0; k < records.count; k++) marks.data[k] = "\0\1\3\1"[k % 4];
    int64_t counts[6 * GKL_SHIM_DUPLICATES_COUNTS] = {};
    const gkl_shim_duplicates_output output = {
        records.size + records.count * gkl_shim_duplicates_growth(run), room.data, ends->data(), 6,
        counts};
    computed(gkl_shim_duplicates_mark(run, &records, marks.data, &output));
    int32_t before = 0, unusual = 0;
    for (int32_t k = 0; k < records.count; k++) {
        const int32_t end = (*ends)[size_t(k)];
        const bool is_unusual = marks.data[k] & GKL_SHIM_DUPLICATES_IS_UNUSUAL;
        require(before <= end && end <= output.size, "marked records overlap");
        require(!is_unusual || before == end, "an unusual record was marked");
        unusual += is_unusual;
        before = end;
    }
    bytes->assign(room.data, room.data + before);
    return unusual;
}

// Records of a BAM file after two bytes, the options. Returns whether all are usual.
bool records(uint8_t *bytes, int64_t size) {
    if (size < 2) return false;
    const int32_t options = bytes[0] | bytes[1] << 8;
    std::vector<int32_t> starts = {0};
    Exact<uint8_t> content(size - 2);
    std::copy(bytes + 2, bytes + size, content.data);
    for (int32_t length; size - 2 - starts.back() >= 36; starts.push_back(starts.back() + length)) {
        memcpy(&length, content.data + starts.back(), sizeof length);
        if (length < 32 || length > size - 6 - starts.back()) break;
        length += 4;
    }
    const char *const named[] = {"RX", "BX", "BY", "MI"};
    const char *const *const tags = options & 1 << 14 ? named : nullptr;
    const gkl_shim_duplicates_records given = {starts.back(), content.data,
                                               int32_t(starts.size()) - 1, starts.data(), nullptr};
    const auto run = open_run(options, tags);
    Exact<gkl_shim_duplicates_row> rows(given.count);
    computed(gkl_shim_duplicates_read_ends(run, &given, rows.data));
    for (int32_t k = 0; k < given.count; k++)
        require(rows.data[k].program_start + int64_t(rows.data[k].program_length) < given.size,
                "a program is not within the records");
    std::vector<uint8_t> once, twice;
    std::vector<int32_t> ends, again;
    const int32_t removes = GKL_SHIM_DUPLICATES_REMOVES | GKL_SHIM_DUPLICATES_REMOVES_OPTICAL;
    const bool is_usual = marked(run, given, &once, &ends) == 0;
    if (!is_usual || options & removes) return is_usual;
    // Marked records are usual. To mark them again changes nothing.
    std::vector<int32_t> marked_starts = {0};
    marked_starts.insert(marked_starts.end(), ends.begin(), ends.end());
    const gkl_shim_duplicates_records output = {int64_t(once.size()), once.data(), given.count,
                                                marked_starts.data(), nullptr};
    const int32_t renames = GKL_SHIM_DUPLICATES_SETS_PROGRAM | GKL_SHIM_DUPLICATES_RENAMES_GROUPS |
                            GKL_SHIM_DUPLICATES_RENAMES_PROGRAMS;
    const auto plain = open_run(options & ~renames, tags);
    if (marked(plain, output, &twice, &again) > 0) {
        // The new read group is not a listed one.
        require(options & GKL_SHIM_DUPLICATES_RENAMES_GROUPS, "a marked record is unusual");
        return true;
    }
    require(twice == once, "marked records change when they are marked again");
    return true;
}

typedef bool (*Target)(uint8_t *, int64_t);
const std::map<std::string, Target> kTargets = {
    {"regions", regions},       {"flagged", flagged}, {"pairs", pairs}, {"alignable", alignable},
    {"candidates", candidates}, {"fasta", fasta},     {"index", index}, {"spectrum", spectrum},
    {"reads", reads},           {"records", records},
};

}  // namespace
