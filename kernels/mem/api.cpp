// The part of the C ABI for maximal exact matches: checks the arguments and calls the engine.
#include "common/cpu.h"
#include "common/error.h"
#include "common/text/fields.h"
#include "gkl_shim_internal.h"
#include "mem/cpu/engine.h"
#include "mem/cuda/engine.h"
#include "mem/index/index.h"
#include "mem/index/saved_index.h"
#include "mem/results.h"
#include "mem/text/fasta.h"
#include "mem/text/lines.h"

struct gkl_shim_mem {
    gkl_shim::mem::Index index;
    gkl_shim::mem::SavedIndex saved;
};

struct gkl_shim_mem_matches {
    const gkl_shim_mem *index;
    gkl_shim::mem::Results results;
};

struct gkl_shim_mem_fasta {
    gkl_shim::mem::Fasta fasta;
};

struct gkl_shim_mem_lines {
    gkl_shim::mem::LineWriter writer;
};

namespace gkl_shim::mem {

namespace {

// One letter takes at most this many bytes of all buffers together.
const int64_t kBytesOfLetter = 64;

// With several threads, call it in guarded().
bool check_sequences(const char *name, const gkl_shim_mem_sequences *sequences, int threads = 1) {
    if (!sequences) return fail("%s is null", name);
    if (sequences->count < 0 || sequences->count > INT32_MAX)
        return fail("%s: %lld sequences; 0 to %d are possible", name, (long long)sequences->count,
                    INT32_MAX);
    if (!check_offsets(name, sequences->offsets, sequences->count, threads)) return false;
    const int64_t letters = sequences->offsets[sequences->count];
    if (letters > INT64_MAX / kBytesOfLetter)
        return fail("%s: %lld letters are too many", name, (long long)letters);
    if (letters > 0 && !sequences->letters) return fail("%s: the letters are null", name);
    return true;
}

bool check_search(const gkl_shim_mem *index, const gkl_shim_mem_sequences *queries,
                  const gkl_shim_mem_search *search) {
    if (!index) return fail("index is null");
    if (!search) return fail("search is null");
    const int64_t least = index->index.settings().min_length;
    if (search->min_length < least)
        return fail("min_length is %lld, less than the index's, %lld",
                    (long long)search->min_length, (long long)least);
    if (search->kind < GKL_SHIM_MEM_ALL || search->kind > GKL_SHIM_MEM_MUM)
        return fail("kind is %d, not 0 to 2", search->kind);
    if (search->strands < GKL_SHIM_MEM_FORWARD || search->strands > GKL_SHIM_MEM_BOTH)
        return fail("strands is %d, not 1 to 3", search->strands);
    if (!check_sequences("queries", queries, index->index.threads())) return false;
    if (search->first == 0 && search->last == 0 && search->most == 0) return true;
    if (queries->count != 1 || search->strands == GKL_SHIM_MEM_BOTH ||
        search->kind != GKL_SHIM_MEM_ALL)
        return fail("a part is of a search for all matches of one query and one strand");
    if (search->first < 0 || search->last < search->first || search->last > queries->offsets[1] ||
        search->most < 1)
        return fail("the part of %lld matches from %lld to %lld is not one of %lld letters",
                    (long long)search->most, (long long)search->first, (long long)search->last,
                    (long long)queries->offsets[1]);
    return true;
}

}  // namespace

}  // namespace gkl_shim::mem

using namespace gkl_shim;
using namespace gkl_shim::mem;

extern "C" gkl_shim_status gkl_shim_mem_open(const gkl_shim_mem_options *options,
                                             const gkl_shim_mem_sequences *reference,
                                             gkl_shim_mem **index) {
    if (!index) return invalid("index is null");
    *index = nullptr;
    if (!options) return invalid("options is null");
    if (options->threads < 0) return invalid("threads is %d, less than 0", options->threads);
    if (options->min_length < 1)
        return invalid("min_length is %lld, less than 1", (long long)options->min_length);
    if (options->page_letters < 0)
        return invalid("page_letters is %lld, less than 0", (long long)options->page_letters);
    if (options->memory < 0)
        return invalid("memory is %lld, less than 0", (long long)options->memory);
    if (options->query_letters < 0)
        return invalid("query_letters is %lld, less than 0", (long long)options->query_letters);
    if (!check_sequences("reference", reference)) return GKL_SHIM_EINVAL;
    return guarded([&] {
        gkl_shim_mem_options settings = *options;
        settings.threads = allowed_threads(options->threads);
        settings.nucleotides_only = options->nucleotides_only != 0;
        Reference given(settings.nucleotides_only, reference->letters, reference->offsets,
                        reference->count, settings.threads, settings.borrowed);
        *index = new gkl_shim_mem{Index(settings, std::move(given)), {}};
    });
}

extern "C" gkl_shim_status gkl_shim_mem_information(const gkl_shim_mem *handle,
                                                    gkl_shim_mem_info *info) {
    if (!handle) return invalid("index is null");
    if (!info) return invalid("info is null");
    const Index &index = handle->index;
    *info = {index.settings().min_length,
             index.reference().count(),
             index.reference().size() - index.reference().count(),
             index.pages(),
             index.page_letters(),
             index.page_bytes(),
             index.resident(),
             index.seeds().letters,
             index.seeds().reference_step,
             index.settings().nucleotides_only};
    return GKL_SHIM_OK;
}

extern "C" void gkl_shim_mem_close(gkl_shim_mem *index) { delete index; }

extern "C" gkl_shim_status gkl_shim_mem_save(const gkl_shim_mem *index, gkl_shim_mem_piece *pieces,
                                             int64_t capacity, int64_t *count) {
    if (!count) return invalid("count is null");
    *count = 0;
    if (!index) return invalid("index is null");
    if (capacity < 0) return invalid("capacity is %lld, less than 0", (long long)capacity);
    if (capacity > 0 && !pieces) return invalid("pieces is null");
    return guarded([&] {
        const std::vector<gkl_shim_mem_piece> &all = index->saved.pieces(index->index);
        *count = int64_t(all.size());
        for (int64_t k = 0; k < *count && k < capacity; k++) pieces[k] = all[size_t(k)];
    });
}

extern "C" gkl_shim_status gkl_shim_mem_load(const uint8_t *bytes, int64_t size, int32_t threads,
                                             gkl_shim_mem **index) {
    if (!index) return invalid("index is null");
    *index = nullptr;
    if (!check_count("size", size)) return GKL_SHIM_EINVAL;
    if (threads < 0) return invalid("threads is %d, less than 0", threads);
    if (size > 0 && !bytes) return invalid("bytes is null");
    return guarded([&] {
        *index = new gkl_shim_mem{load_index(bytes, size, allowed_threads(threads)), {}};
    });
}

extern "C" gkl_shim_status gkl_shim_mem_is_of(const gkl_shim_mem *index,
                                              const gkl_shim_mem_sequences *reference,
                                              int32_t *same) {
    if (!same) return invalid("same is null");
    *same = 0;
    if (!index) return invalid("index is null");
    if (!check_sequences("reference", reference)) return GKL_SHIM_EINVAL;
    return guarded([&] { *same = is_of(index->index, *reference); });
}

extern "C" gkl_shim_status gkl_shim_mem_find(const gkl_shim_mem *index,
                                             const gkl_shim_mem_sequences *queries,
                                             const gkl_shim_mem_search *search,
                                             gkl_shim_mem_matches **matches) {
    if (!matches) return invalid("matches is null");
    *matches = nullptr;
    return guarded([&]() -> gkl_shim_status {
        if (!check_search(index, queries, search)) return GKL_SHIM_EINVAL;
        const auto find = search->engine ? find_on_devices : find_on_cpu;
        *matches = new gkl_shim_mem_matches{index, find(index->index, *search, *queries)};
        return GKL_SHIM_OK;
    });
}

extern "C" int64_t gkl_shim_mem_cuda_pages(const gkl_shim_mem_matches *matches) {
    return matches->results.pages;
}

extern "C" void gkl_shim_mem_estimate(int64_t letters, int32_t threads,
                                      gkl_shim_call_estimate *call) {
    const FloatingPointMode mode;
    // The time for a letter of a query, on one CPU thread and on a device, and for a call of a
    // device: medians of what `gkl-shim bench mem --papers` measured on a Zen 3 and an H200.
    *call = {letters, double(letters) * 20 / allowed_threads(threads), 1e6 + double(letters) * 0.5};
}

extern "C" int64_t gkl_shim_mem_count(const gkl_shim_mem_matches *matches) {
    return matches ? matches->results.count() : 0;
}

extern "C" int64_t gkl_shim_mem_end(const gkl_shim_mem_matches *matches) {
    return matches ? matches->results.end : 0;
}

extern "C" gkl_shim_status gkl_shim_mem_copy(const gkl_shim_mem_matches *matches,
                                             gkl_shim_mem_match *out) {
    if (!matches) return invalid("matches is null");
    if (matches->results.count() > 0 && !out) return invalid("out is null");
    return guarded([&] {
        const Index &index = matches->index->index;
        copy_matches(index.reference(), matches->results, index.threads(), out);
    });
}

extern "C" void gkl_shim_mem_matches_close(gkl_shim_mem_matches *matches) { delete matches; }

extern "C" gkl_shim_status gkl_shim_mem_parse(const uint8_t *text, int64_t size, int32_t threads,
                                              gkl_shim_mem_fasta **fasta) {
    if (!fasta) return invalid("fasta is null");
    *fasta = nullptr;
    if (!check_text(text, size, threads)) return GKL_SHIM_EINVAL;
    return guarded([&] {
        *fasta = new gkl_shim_mem_fasta{parse_fasta(text, size, allowed_threads(threads))};
    });
}

extern "C" gkl_shim_status gkl_shim_mem_fasta_sequences(const gkl_shim_mem_fasta *handle,
                                                        gkl_shim_mem_sequences *sequences,
                                                        gkl_shim_mem_sequences *names) {
    if (!handle) return invalid("fasta is null");
    if (!sequences || !names) return invalid("%s is null", sequences ? "names" : "sequences");
    const Fasta &fasta = handle->fasta;
    *sequences = {fasta.count(), fasta.offsets.data(), fasta.letters.data()};
    *names = {fasta.count(), fasta.name_offsets.data(), fasta.names.data()};
    return GKL_SHIM_OK;
}

extern "C" void gkl_shim_mem_fasta_close(gkl_shim_mem_fasta *fasta) { delete fasta; }

extern "C" gkl_shim_status gkl_shim_mem_lines_open(const gkl_shim_mem_matches *matches,
                                                   const gkl_shim_mem_format *format,
                                                   gkl_shim_mem_lines **lines) {
    if (!lines) return invalid("lines is null");
    *lines = nullptr;
    if (!matches || !format) return invalid("%s is null", matches ? "format" : "matches");
    if (!check_sequences("reference_names", format->reference_names) ||
        !check_sequences("query_names", format->query_names))
        return GKL_SHIM_EINVAL;
    const Index &index = matches->index->index;
    if (format->reference_names->count != index.reference().count())
        return invalid("%lld names for %lld sequences of the reference",
                       (long long)format->reference_names->count,
                       (long long)index.reference().count());
    if (format->query_names->count != matches->results.queries())
        return invalid("%lld names for %lld queries", (long long)format->query_names->count,
                       (long long)matches->results.queries());
    return guarded([&] {
        *lines = new gkl_shim_mem_lines{
            LineWriter(index.reference(), matches->results, *format, index.threads())};
    });
}

extern "C" gkl_shim_status gkl_shim_mem_lines_next(gkl_shim_mem_lines *lines, const uint8_t **text,
                                                   int64_t *size) {
    if (!text || !size) return invalid("an output is null");
    *text = nullptr;
    *size = 0;
    if (!lines) return invalid("lines is null");
    return guarded([&] { lines->writer.next(text, size); });
}

extern "C" void gkl_shim_mem_lines_close(gkl_shim_mem_lines *lines) { delete lines; }
