// Functions that compute one input with CUDA kernels, compiled for the host, and with the CPU
// engine. Both must accept or refuse it alike, and give the same bits.
#pragma once

#include <optional>

#include "../fakes/driver.h"
#include "builds.h"

namespace fakes {
struct HostKernel;
}
// cuda_on_host.cpp of each folder; cmake/fuzz.cmake names them.
typedef const fakes::HostKernel *FindKernel(const char *name);
extern "C" FindKernel find_pairhmm_kernel, find_prefilter_kernel, find_mem_kernel,
    find_correct_kernel;

namespace {

const double kUnwritten[] = {0};
constexpr int64_t kDeviceMemory = 1 << 26;

// The driver, with one device. Both live until the process ends.
struct HostDevice {
    void *const driver = fake_driver(1, 0);
    void *const context = fake_context(driver, 0);
};

const HostDevice &host_device() {
    static const HostDevice device;
    return device;
}

void *kernel_of(FindKernel *find, const std::string &name) {
    const fakes::HostKernel *const host = find(name.c_str());
    require(host != nullptr, "a kernel is missing");
    return fake_kernel(host_device().driver, name.c_str(), host, kUnwritten, 1);
}

// ---- PairHMM -------------------------------------------------------------------------------

// The kernels and tables of a precision, on the device whose context is current.
gkl_shim_pairhmm_cuda_kernels pairhmm_kernels_of(int32_t precision) {
    gkl_shim_pairhmm_cuda_kernels made = {};
    const bool single = precision == GKL_SHIM_SINGLE;
    const std::string prefix = single ? "pairhmm_single_" : "pairhmm_double_";
    int32_t widths[GKL_SHIM_PAIRHMM_CUDA_WIDTHS], rows[GKL_SHIM_PAIRHMM_CUDA_LONE_KERNELS];
    gkl_shim_pairhmm_cuda_widths(precision, widths);
    for (int k = 0; k < GKL_SHIM_PAIRHMM_CUDA_WIDTHS; k++)
        if (widths[k] > 0)
            made.functions[k] = kernel_of(find_pairhmm_kernel, prefix + std::to_string(widths[k]));
    if (!single)
        made.functions[GKL_SHIM_PAIRHMM_CUDA_WIDTHS] =
            kernel_of(find_pairhmm_kernel, prefix + "striped");
    gkl_shim_pairhmm_cuda_lone_rows(rows);
    for (int k = 0; single && k < GKL_SHIM_PAIRHMM_CUDA_LONE_KERNELS; k++)
        made.lone[k] = kernel_of(find_pairhmm_kernel, "pairhmm_lone_" + std::to_string(rows[k]));
    if (!single) made.lone[0] = kernel_of(find_pairhmm_kernel, "pairhmm_lone_double");
    for (const int32_t conventions : {GKL_SHIM_STRICT, GKL_SHIM_AS_GKL}) {
        const int64_t size = gkl_shim_pairhmm_cuda_tables(precision, conventions, nullptr);
        uint64_t *const address = &made.tables[conventions];
        require(size > 0 && cuMemAlloc_v2(address, size_t(size)) == 0, "no memory for tables");
        // The device's memory is this machine's.
        gkl_shim_pairhmm_cuda_tables(precision, conventions, reinterpret_cast<void *>(*address));
    }
    return made;
}

gkl_shim_cuda_engine *pairhmm_engine_of(int32_t precision, int32_t conventions) {
    static gkl_shim_pairhmm_cuda_device device = [] {
        gkl_shim_pairhmm_cuda_device made = {};
        made.context = host_device().context;
        made.multiprocessors = 1;
        made.scratch_bytes = made.memory_bytes = kDeviceMemory;
        cuCtxPushCurrent_v2(made.context);
        for (const int32_t each : {GKL_SHIM_SINGLE, GKL_SHIM_DOUBLE})
            made.kernels[each] = pairhmm_kernels_of(each);
        void *popped;
        cuCtxPopCurrent_v2(&popped);
        return made;
    }();
    gkl_shim_pairhmm_cuda_options options = {};
    options.precision = precision;
    options.conventions = conventions;
    options.threads = options.launch_threads = 1;
    options.slots = 2;
    options.cells[0] = options.cells[1] = 1 << 14;
    options.device_count = 1;
    options.devices = &device;
    options.driver = fake_functions();
    return opened(gkl_shim_cuda_engine_close, gkl_shim_pairhmm_cuda_open, &options).release();
}

using gkl_shim::pairhmm::kReadTrackCount;
using gkl_shim::pairhmm::kReadTracks;

// A batch behind a region of two reads and a haplotype of one letter, which makes the batch large.
class LargeBatch {
   public:
    enum { kReads = 2, kLength = 512 };

    explicit LargeBatch(const gkl_shim_pairhmm_batch &from) {
        append(from.region_reads, from.regions, kReads, &region_reads_);
        append(from.region_haplotypes, from.regions, 1, &region_haplotypes_);
        const int64_t reads = gkl_shim::pairhmm::reads_of(from),
                      haplotypes = gkl_shim::pairhmm::haplotypes_of(from);
        append(from.read_offsets, reads, kReads * kLength, &read_offsets_);
        read_offsets_.insert(read_offsets_.begin() + 1, kLength);
        append(from.haplotype_offsets, haplotypes, 1, &haplotype_offsets_);
        haplotype_bases_ = "A";
        haplotype_bases_.append(reinterpret_cast<const char *>(from.haplotype_bases),
                                size_t(from.haplotype_offsets[haplotypes]));
        for (int k = 0; k < gkl_shim::pairhmm::kReadTrackCount; k++) {
            tracks_[k].assign(kReads * kLength, k == 0 ? 'A' : char(30));
            tracks_[k].append(reinterpret_cast<const char *>(from.*kReadTracks[k]),
                              size_t(from.read_offsets[reads]));
            batch.*kReadTracks[k] = reinterpret_cast<const uint8_t *>(tracks_[k].data());
        }
        batch.regions = from.regions + 1;
        batch.region_reads = region_reads_.data();
        batch.region_haplotypes = region_haplotypes_.data();
        batch.read_offsets = read_offsets_.data();
        batch.haplotype_offsets = haplotype_offsets_.data();
        batch.haplotype_bases = reinterpret_cast<const uint8_t *>(haplotype_bases_.data());
    }

    gkl_shim_pairhmm_batch batch;

   private:
    static void append(const int64_t *offsets, int64_t count, int64_t first,
                       std::vector<int64_t> *to) {
        to->push_back(0);
        for (int64_t k = 0; k <= count; k++) to->push_back(first + offsets[k]);
    }

    std::vector<int64_t> region_reads_, region_haplotypes_, read_offsets_, haplotype_offsets_;
    std::string haplotype_bases_, tracks_[kReadTrackCount];
};

bool pairhmm_kernels(uint8_t *text, int64_t size) {
    static gkl_shim_cuda_engine *const engines[][2] = {
        {pairhmm_engine_of(GKL_SHIM_SINGLE, GKL_SHIM_STRICT),
         pairhmm_engine_of(GKL_SHIM_SINGLE, GKL_SHIM_AS_GKL)},
        {pairhmm_engine_of(GKL_SHIM_DOUBLE, GKL_SHIM_STRICT),
         pairhmm_engine_of(GKL_SHIM_DOUBLE, GKL_SHIM_AS_GKL)}};
    return with_regions(text, size, [](const gkl_shim_pairhmm_batch &read, uint8_t choice) {
        // Other kernels compute a call of at least 1,024 bases if each of its regions has one
        // haplotype.
        std::optional<LargeBatch> large;
        if (choice & 2) large.emplace(read);
        const gkl_shim_pairhmm_batch &batch = large ? large->batch : read;
        bool good = true;
        for (const int32_t precision : {GKL_SHIM_SINGLE, GKL_SHIM_DOUBLE}) {
            gkl_shim_pairhmm_options options = {};
            options.threads = 1, options.precision = precision;
            options.conventions = conventions_of(choice);
            gkl_shim_cuda_engine *const engine = engines[precision][options.conventions];
            const auto on_cpu = opened(gkl_shim_pairhmm_close, gkl_shim_pairhmm_open, &options);
            const int64_t count = pairs_of(batch);
            Exact<double> expected(count), found(count);
            const gkl_shim_status status =
                gkl_shim_pairhmm_compute(on_cpu, &batch, expected.data, count);
            require(gkl_shim_pairhmm_cuda_compute(engine, &batch, nullptr, 1, found.data,
                                                  nullptr) == status,
                    "the kernels and the CPU return different statuses");
            good = good && accepted(status);
            require(status != GKL_SHIM_OK ||
                        memcmp(expected.data, found.data, size_t(count) * sizeof(double)) == 0,
                    "the kernels and the CPU give different bits");
            require(gkl_shim_cuda_engine_uses(engine, -1) == 1, "the device is lost");
        }
        return good;
    });
}

// ---- Prefilter -----------------------------------------------------------------------------

gkl_shim_prefilter_cuda_kernels prefilter_kernels_of(int32_t method, int32_t mode) {
    const auto kernel = [](const std::string &name) {
        return kernel_of(find_prefilter_kernel, name);
    };
    gkl_shim_prefilter_cuda_kernels made = {};
    made.encode = kernel("encode");
    if (method == GKL_SHIM_PREFILTER_GATEKEEPER) {
        int k = 0;
        for (const char *words : {"4", "8", "16", "320"})
            made.estimate[k++] = kernel(std::string("estimate<") + words + ">");
        return made;
    }
    const std::string end = ", " + std::to_string(mode) + ">";
    made.exact[0] = kernel("exact<unsigned int" + end);
    made.exact[1] = kernel("exact<unsigned long long" + end);
    made.exact_words[0] = kernel("exact_words<4" + end);
    made.exact_words[1] = kernel("exact_words<8" + end);
    if (mode != GKL_SHIM_PREFILTER_GLOBAL)
        made.exact_blocks = kernel("exact_blocks<" + std::to_string(mode) + ">");
    return made;
}

// Compares the results of one method and mode for pairs that the CPU engine accepts.
void compare_prefilter(int32_t method, int32_t mode, const uint8_t *head, int64_t count,
                       const gkl_shim_prefilter_sequences &reads,
                       const gkl_shim_prefilter_sequences &segments) {
    const uint8_t edits = head[kMaxEdits], choice = head[kChoice];
    const gkl_shim_prefilter_options cpu = {1, method, mode, edits, nullptr};
    const auto on_cpu = opened(gkl_shim_prefilter_close, gkl_shim_prefilter_open, &cpu);
    Exact<int16_t> expected(count), found(count);
    if (!accepted(gkl_shim_prefilter_compute(on_cpu, count, &reads, &segments, expected.data)))
        return;
    const gkl_shim_prefilter_cuda_device device = {0, host_device().context,
                                                   prefilter_kernels_of(method, mode)};
    gkl_shim_prefilter_cuda_options options = {};
    options.threads = 1, options.method = method, options.mode = mode, options.max_edits = edits;
    options.encode =
        choice & 1 ? GKL_SHIM_PREFILTER_CUDA_ON_HOST : GKL_SHIM_PREFILTER_CUDA_ON_DEVICE;
    options.device_count = 1, options.devices = &device, options.driver = fake_functions();
    options.chunk_bytes = choice & 2 ? 1 << 8 : 1 << 12, options.memory_bytes = kDeviceMemory;
    const auto engine = opened(gkl_shim_cuda_engine_close, gkl_shim_prefilter_cuda_open, &options);
    gkl_shim_prefilter_cuda_call call = {0, count, 0, 0, 0};
    computed(gkl_shim_prefilter_cuda_compute(engine, &reads, &segments, found.data, &call));
    require(call.undone == 0, "the device is lost");
    require(memcmp(expected.data, found.data, size_t(count) * sizeof(int16_t)) == 0,
            "the kernels and the CPU give different edits");
}

bool prefilter_kernels(uint8_t *text, int64_t size) {
    return with_pairs(
        text, size,
        [&](int64_t count, const gkl_shim_prefilter_sequences &reads,
            const gkl_shim_prefilter_sequences &segments) {
            for (const int32_t mode : kPrefilterModes)
                compare_prefilter(GKL_SHIM_PREFILTER_EXACT, mode, text, count, reads, segments);
            compare_prefilter(GKL_SHIM_PREFILTER_GATEKEEPER, GKL_SHIM_PREFILTER_GLOBAL, text, count,
                              reads, segments);
        });
}

// ---- mem -----------------------------------------------------------------------------------

gkl_shim_cuda_engine *mem_engine_of(int64_t page_letters, int64_t chunk_letters) {
    const auto kernel = [](const char *name) { return kernel_of(find_mem_kernel, name); };
    static const gkl_shim_mem_cuda_device device = {
        0,
        host_device().context,
        {kernel("make_text"), kernel("count_parts"), kernel("divide_seeds"), kernel("sort_parts"),
         kernel("sum_values"), kernel("scan_values"), kernel("count_matches"),
         kernel("place_matches"), kernel("fill_matches"), kernel("order_matches")}};
    gkl_shim_mem_cuda_options options = {};
    options.memory_bytes = kDeviceMemory;
    options.page_letters = page_letters, options.chunk_letters = chunk_letters;
    options.streams = 1, options.device_count = 1;
    options.devices = &device, options.driver = fake_functions();
    return opened(gkl_shim_cuda_engine_close, gkl_shim_mem_cuda_open, &options).release();
}

// The first byte gives the least length of a match, the others are the reference and the queries.
bool mem_kernels(uint8_t *text, int64_t size) {
    static gkl_shim_cuda_engine *const whole = mem_engine_of(0, 0), *const divided =
                                                                        mem_engine_of(64, 32);
    if (size < 1) return false;
    const auto fasta = opened(gkl_shim_mem_fasta_close, gkl_shim_mem_parse, text + 1, size - 1, 1);
    gkl_shim_mem_sequences sequences, names;
    gkl_shim_mem_fasta_sequences(fasta, &sequences, &names);
    gkl_shim_mem_options options = {};
    options.threads = 1, options.min_length = 1 + text[0] % 32;
    options.nucleotides_only = text[0] / 32 % 2;
    const auto index = opened(gkl_shim_mem_close, gkl_shim_mem_open, &options, &sequences);
    for (const int32_t kind : {GKL_SHIM_MEM_ALL, GKL_SHIM_MEM_MUMREFERENCE, GKL_SHIM_MEM_MUM}) {
        gkl_shim_mem_search how = {};
        how.min_length = options.min_length, how.kind = kind, how.strands = GKL_SHIM_MEM_BOTH;
        const auto matches = [&](gkl_shim_cuda_engine *engine) {
            how.engine = engine;
            std::vector<uint8_t> bytes;
            append_matches(bytes, opened(gkl_shim_mem_matches_close, gkl_shim_mem_find, index,
                                         &sequences, &how));
            return bytes;
        };
        const std::vector<uint8_t> expected = matches(nullptr);
        for (gkl_shim_cuda_engine *const engine : {whole, divided})
            require(matches(engine) == expected, "the kernels and the CPU find different matches");
    }
    return true;
}

// ---- Read correction -----------------------------------------------------------------------

struct Corrected {
    explicit Corrected(const gkl_shim_correct_batch &batch)
        : letters(batch.offsets[batch.reads]),
          states(batch.reads),
          begins(batch.reads),
          ends(batch.reads) {}

    std::vector<uint8_t> bytes(const gkl_shim_correct_batch &batch) const {
        std::vector<uint8_t> all;
        append(all, letters.data, batch.offsets[batch.reads]);
        append(all, states.data, batch.reads);
        append(all, begins.data, batch.reads);
        append(all, ends.data, batch.reads);
        return all;
    }

    Exact<uint8_t> letters, states;
    Exact<int32_t> begins, ends;
};

// The spectrum of reads that an engine counts, and its slots.
Handle<gkl_shim_correct_spectrum> spectrum_of(const gkl_shim_correct_batch &batch, int32_t k,
                                              int64_t memory, gkl_shim_cuda_engine *engine,
                                              std::vector<uint8_t> *slots) {
    const auto counter = opened(gkl_shim_correct_counter_close, gkl_shim_correct_counter_open, k, 1,
                                memory, 2, engine);
    require(gkl_shim_correct_cuda_counts(counter) == (engine != nullptr), "the device is lost");
    int32_t complete = 0;
    while (!complete) {
        computed(gkl_shim_correct_count(counter, &batch));
        computed(gkl_shim_correct_end_pass(counter, &complete));
    }
    auto spectrum =
        opened(gkl_shim_correct_spectrum_close, gkl_shim_correct_spectrum_make, counter, 2);
    gkl_shim_correct_spectrum_info known;
    computed(gkl_shim_correct_spectrum_information(spectrum, &known));
    append(*slots, known.slots, int64_t(known.slot_count));
    return spectrum;
}

gkl_shim_cuda_engine *correct_engine() {
    const auto kernel = [](const char *name) { return kernel_of(find_correct_kernel, name); };
    static const gkl_shim_correct_cuda_device device = {
        0,
        host_device().context,
        kDeviceMemory,
        {kernel("count_kmers"), kernel("move_entries"), kernel("finish_tables"),
         kernel("search_reads"), kernel("vote_reads")}};
    gkl_shim_correct_cuda_options options = {};
    options.threads = 1, options.chunk_bases = 64, options.device_count = 1;
    options.devices = &device, options.driver = fake_functions();
    return opened(gkl_shim_cuda_engine_close, gkl_shim_correct_cuda_open, &options).release();
}

// The first byte gives k, and the second one says whether the counters have little memory, so that
// they count in several passes. Each other byte is a letter and its quality, and
// a line is a read.
bool correct_kernels(uint8_t *text, int64_t size) {
    static gkl_shim_cuda_engine *const engine = correct_engine();
    if (size < 3) return false;
    const int32_t k = GKL_SHIM_CORRECT_LEAST_K + text[0] % 21;
    const int64_t memory = text[1] % 2 ? 40'000 : 0;
    std::vector<uint8_t> letters, qualities;
    std::vector<int64_t> offsets = {0};
    for (int64_t i = 2; i < size; i++) {
        if (text[i] == '\n') {
            offsets.push_back(int64_t(letters.size()));
            continue;
        }
        letters.push_back(uint8_t("ACGTN"[text[i] % 5]));
        qualities.push_back(uint8_t(33 + text[i] / 5 % 42));
    }
    if (letters.empty()) return false;
    offsets.push_back(int64_t(letters.size()));
    const gkl_shim_correct_batch batch = {int64_t(offsets.size()) - 1, offsets.data(),
                                          letters.data(), qualities.data()};
    std::vector<uint8_t> expected, found;
    const auto solid = spectrum_of(batch, k, memory, nullptr, &expected);
    spectrum_of(batch, k, memory, engine, &found);
    require(found == expected, "the kernels and the CPU count different k-mers");
    for (const int32_t method : {GKL_SHIM_CORRECT_SEARCH, GKL_SHIM_CORRECT_VOTING}) {
        gkl_shim_correct_options options = {};
        options.threads = 1, options.method = method;
        const Corrected here(batch), there(batch);
        computed(gkl_shim_correct_reads(&options, solid, &batch, here.letters.data,
                                        here.states.data, here.begins.data, here.ends.data));
        options.engine = engine;
        computed(gkl_shim_correct_reads(&options, solid, &batch, there.letters.data,
                                        there.states.data, there.begins.data, there.ends.data));
        require(here.bytes(batch) == there.bytes(batch),
                "the kernels and the CPU correct differently");
    }
    require(gkl_shim_cuda_engine_uses(engine, -1) == 1, "the device is lost");
    return true;
}

const std::map<std::string, Target> kKernels = {
    {"pairhmm-kernels", pairhmm_kernels},
    {"prefilter-kernels", prefilter_kernels},
    {"mem-kernels", mem_kernels},
    {"correct-kernels", correct_kernels},
};

}  // namespace
