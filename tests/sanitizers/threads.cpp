// Several threads call the same handles of the library, which is compiled with the thread
// sanitizer:
//
//     threads ROUNDS [planted]
//
// Each thread must get what one thread alone gets. The GPU engine uses the stand-in for the driver,
// whose kernels compute nothing, so its CPU threads complete every pair. With "planted", threads
// also share a counter of k-mers, which only one of them may use at a time: that must be found.
#include <math.h>

#include <functional>
#include <random>
#include <thread>

#include "../fakes/driver.cpp"
#include "../fakes/driver.h"
#include "gkl_shim_internal.h"

namespace {

enum { kThreads = 4 };
const double kNaN[] = {NAN};

void require(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "%s; the last error: %s\n", what, gkl_shim_last_error());
    exit(1);
}

void computed(gkl_shim_status status) { require(status == GKL_SHIM_OK, "a call failed"); }

template <class T>
std::string bytes_of(const std::vector<T> &values) {
    return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}

const uint8_t *letters_of(const std::string &text) {
    return reinterpret_cast<const uint8_t *>(text.data());
}

class Random {
   public:
    explicit Random(unsigned seed) : next_(seed) {}
    int below(int limit) { return int(next_() % unsigned(limit)); }
    std::string letters(int length) {
        std::string made;
        for (int k = 0; k < length; k++) made += "ACGT"[below(4)];
        return made;
    }
    // With one letter in 20 replaced.
    std::string mutated(std::string text) {
        for (char &letter : text)
            if (below(20) == 0) letter = "ACGT"[below(4)];
        return text;
    }

   private:
    std::mt19937 next_;
};

struct Strings {
    std::string letters;
    std::vector<int64_t> offsets = {0};
    void add(const std::string &text) {
        letters += text;
        offsets.push_back(int64_t(letters.size()));
    }
    int64_t count() const { return int64_t(offsets.size()) - 1; }
};

gkl_shim_mem *index_of(const Strings &reference, int64_t page_letters) {
    gkl_shim_mem_options options = {};
    options.threads = 2, options.min_length = 11, options.page_letters = page_letters;
    options.deferred = options.borrowed = 1;
    const gkl_shim_mem_sequences sequences = {reference.count(), reference.offsets.data(),
                                              letters_of(reference.letters)};
    gkl_shim_mem *index;
    computed(gkl_shim_mem_open(&options, &sequences, &index));
    return index;
}

// What all calls of one round get. The first searches copy the reference of its indexes, and build
// their pages. `reference` must outlive it.
struct Case {
    gkl_shim_mem *index, *pages;
    Strings reads, haplotypes, queries;
    std::vector<uint8_t> qualities, gaps, flags;
    int64_t region_reads[2] = {}, region_haplotypes[2] = {};

    Case(Random *random, const Strings &reference)
        : index(index_of(reference, 0)), pages(index_of(reference, 700)) {
        const std::string haplotype = random->letters(120);
        for (int k = 0; k < 12; k++) {
            reads.add(random->mutated(haplotype.substr(size_t(random->below(20)), 60)));
            queries.add(random->mutated(reference.letters.substr(size_t(random->below(2900)), 90)));
        }
        for (int k = 0; k < 4; k++) haplotypes.add(random->mutated(haplotype));
        for (size_t k = 0; k < reads.letters.size(); k++)
            qualities.push_back(uint8_t(random->below(41)));
        gaps.assign(reads.letters.size(), 40);
        flags.assign(haplotypes.letters.size(), 0);
        flags[30] = GKL_SHIM_PDHMM_SNP | GKL_SHIM_PDHMM_A | GKL_SHIM_PDHMM_C;
        flags[150] = GKL_SHIM_PDHMM_DELETION_START | GKL_SHIM_PDHMM_DELETION_END;
        region_reads[1] = reads.count(), region_haplotypes[1] = haplotypes.count();
    }
    gkl_shim_pairhmm_batch region() const {
        return {1,
                region_reads,
                region_haplotypes,
                reads.offsets.data(),
                letters_of(reads.letters),
                qualities.data(),
                gaps.data(),
                gaps.data(),
                gaps.data(),
                haplotypes.offsets.data(),
                letters_of(haplotypes.letters)};
    }
    int64_t pairs() const { return reads.count() * haplotypes.count(); }
};

// The handles, which stay open until the process ends.
struct Handles {
    gkl_shim_pairhmm *pairhmm;
    gkl_shim_pdhmm *pdhmm;
    gkl_shim_smithwaterman *aligner;
    gkl_shim_prefilter *prefilter;
    gkl_shim_correct_spectrum *spectrum;
    gkl_shim_cuda_engine *gpus;
};

gkl_shim_correct_spectrum *spectrum_of(const Strings &reads) {
    gkl_shim_correct_counter *counter;
    computed(gkl_shim_correct_counter_open(15, 2, 0, 2, nullptr, &counter));
    const gkl_shim_correct_batch batch = {reads.count(), reads.offsets.data(),
                                          letters_of(reads.letters), nullptr};
    computed(gkl_shim_correct_count(counter, &batch));
    int32_t complete;
    computed(gkl_shim_correct_end_pass(counter, &complete));
    gkl_shim_correct_spectrum *spectrum;
    computed(gkl_shim_correct_spectrum_make(counter, 2, &spectrum));
    gkl_shim_correct_counter_close(counter);
    return spectrum;
}

gkl_shim_cuda_engine *gpus() {
    static gkl_shim_pairhmm_cuda_device devices[2] = {};
    void *const driver = fake_driver(2, 1);
    for (int32_t k = 0; k < 2; k++) {
        devices[k].number = k;
        devices[k].context = fake_context(driver, k);
        devices[k].multiprocessors = 8;
        devices[k].scratch_bytes = devices[k].memory_bytes = 1 << 24;
        for (int32_t precision : {GKL_SHIM_SINGLE, GKL_SHIM_DOUBLE}) {
            const char *const name =
                precision == GKL_SHIM_SINGLE ? "pairhmm_single" : "pairhmm_double";
            for (void *&function : devices[k].kernels[precision].functions)
                function = fake_kernel(driver, name, nullptr, kNaN, 1);
        }
    }
    gkl_shim_pairhmm_cuda_options options = {};
    options.threads = options.slots = 2;
    options.cells[0] = options.cells[1] = 1 << 14;
    options.planning = 100000;
    options.device_count = 2;
    options.devices = devices;
    options.driver = fake_functions();
    gkl_shim_cuda_engine *engine;
    computed(gkl_shim_pairhmm_cuda_open(&options, &engine));
    return engine;
}

Handles open_handles(const Strings &reads) {
    Handles made = {};
    const gkl_shim_pairhmm_options pairhmm = {2, GKL_SHIM_SINGLE, GKL_SHIM_STRICT, nullptr,
                                              GKL_SHIM_CPU};
    computed(gkl_shim_pairhmm_open(&pairhmm, &made.pairhmm));
    const gkl_shim_pdhmm_options pdhmm = {2, GKL_SHIM_STRICT, nullptr};
    computed(gkl_shim_pdhmm_open(&pdhmm, &made.pdhmm));
    const gkl_shim_smithwaterman_options aligner = {2, nullptr};
    computed(gkl_shim_smithwaterman_open(&aligner, &made.aligner));
    const gkl_shim_prefilter_options prefilter = {2, 0, GKL_SHIM_PREFILTER_GLOBAL, 9, nullptr};
    computed(gkl_shim_prefilter_open(&prefilter, &made.prefilter));
    made.spectrum = spectrum_of(reads);
    made.gpus = gpus();
    return made;
}

std::string find(const gkl_shim_mem *index, const Case &given) {
    const gkl_shim_mem_sequences queries = {given.queries.count(), given.queries.offsets.data(),
                                            letters_of(given.queries.letters)};
    gkl_shim_mem_search search = {};
    search.min_length = 13, search.strands = GKL_SHIM_MEM_BOTH;
    gkl_shim_mem_matches *matches;
    computed(gkl_shim_mem_find(index, &queries, &search, &matches));
    std::vector<gkl_shim_mem_match> found(size_t(gkl_shim_mem_count(matches)));
    gkl_shim_mem_copy(matches, found.data());
    gkl_shim_mem_matches_close(matches);
    int64_t pieces;
    computed(gkl_shim_mem_save(index, nullptr, 0, &pieces));
    return bytes_of(found);
}

// Each call returns its results as bytes.
std::vector<std::function<std::string(const Case &)>> calls(const Handles &handles) {
    return {
        [=](const Case &given) { return find(given.index, given); },
        [=](const Case &given) { return find(given.pages, given); },
        [=](const Case &given) {
            std::vector<double> values(size_t(given.pairs()));
            const gkl_shim_pairhmm_batch batch = given.region();
            computed(
                gkl_shim_pairhmm_compute(handles.pairhmm, &batch, values.data(), given.pairs()));
            gkl_shim_pairhmm_stats statistics;
            gkl_shim_pairhmm_statistics(handles.pairhmm, &statistics);
            return bytes_of(values);
        },
        [=](const Case &given) {
            std::vector<double> values(size_t(given.pairs()));
            const gkl_shim_pairhmm_batch batch = given.region();
            gkl_shim_pairhmm_stats done;
            computed(gkl_shim_pairhmm_cuda_compute(handles.gpus, &batch, nullptr, 1, values.data(),
                                                   &done));
            return bytes_of(values);
        },
        [=](const Case &given) {
            std::vector<double> values(size_t(given.pairs()));
            const gkl_shim_pdhmm_batch batch = {given.region(), given.flags.data()};
            computed(gkl_shim_pdhmm_compute(handles.pdhmm, &batch, values.data(), given.pairs()));
            return bytes_of(values);
        },
        [=](const Case &given) {
            const gkl_shim_smithwaterman_batch batch = {
                4, given.haplotypes.offsets.data(), letters_of(given.haplotypes.letters),
                given.reads.offsets.data(), letters_of(given.reads.letters)};
            const gkl_shim_smithwaterman_parameters scores = {10, -15, -30, -5, 0};
            std::vector<int64_t> offsets(4), ends(5);
            std::string cigars(2000, ' ');
            computed(gkl_shim_smithwaterman_align(handles.aligner, &batch, &scores, offsets.data(),
                                                  ends.data(), &cigars[0], int64_t(cigars.size())));
            return bytes_of(offsets) + cigars.substr(0, size_t(ends[4]));
        },
        [=](const Case &given) {
            gkl_shim_prefilter_sequences reads = {}, segments = {};
            reads.letters = letters_of(given.reads.letters);
            segments.letters = letters_of(given.queries.letters);
            reads.size = segments.size = 720;
            reads.stride = segments.stride = reads.length = segments.length = 60;
            std::vector<int16_t> edits(12);
            computed(
                gkl_shim_prefilter_compute(handles.prefilter, 12, &reads, &segments, edits.data()));
            return bytes_of(edits);
        },
        [=](const Case &given) {
            const gkl_shim_correct_batch batch = {given.queries.count(),
                                                  given.queries.offsets.data(),
                                                  letters_of(given.queries.letters), nullptr};
            gkl_shim_correct_options options = {};
            options.threads = 2;
            std::vector<uint8_t> corrected(given.queries.letters.size()), states(12);
            computed(gkl_shim_correct_reads(&options, handles.spectrum, &batch, corrected.data(),
                                            states.data(), nullptr, nullptr));
            return bytes_of(corrected) + bytes_of(states);
        },
    };
}

}  // namespace

int main(int count, char **arguments) {
    if (count < 2) return 2;
    const int rounds = atoi(arguments[1]);
    Random random(7);
    Strings reference, reads;
    reference.add(random.letters(3000));
    for (int k = 0; k < 300; k++)
        reads.add(reference.letters.substr(size_t(random.below(2900)), 90));
    std::vector<Case> cases;
    for (int round = 0; round < rounds; round++) cases.emplace_back(&random, reference);
    const auto all = calls(open_handles(reads));
    gkl_shim_correct_counter *counter;
    computed(gkl_shim_correct_counter_open(15, 1, 0, 2, nullptr, &counter));
    const gkl_shim_correct_batch batch = {reads.count(), reads.offsets.data(),
                                          letters_of(reads.letters), nullptr};

    // Threads first, so that several of them at once make what is made on first use.
    std::vector<std::vector<std::string>> found(kThreads);
    std::atomic<int> arrived{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; t++)
        threads.emplace_back([&, t] {
            for (int round = 0; round < rounds; round++) {
                // All begin a round together. Relaxed, so that the sanitizer does not take what a
                // thread did before for done when another goes on.
                arrived.fetch_add(1, std::memory_order_relaxed);
                while (arrived.load(std::memory_order_relaxed) < kThreads * (round + 1))
                    std::this_thread::yield();
                const Case &given = cases[size_t(round)];
                for (const auto &call : all) found[size_t(t)].push_back(call(given));
            }
            // It may be refused while another one runs.
            if (count > 2) (void)gkl_shim_correct_count(counter, &batch);
        });
    for (std::thread &thread : threads) thread.join();
    size_t at = 0;
    for (int round = 0; round < rounds; round++) {
        std::vector<std::string> alone;
        for (const auto &call : all) alone.push_back(call(cases[size_t(round)]));
        for (size_t k = 0; k < all.size(); k++, at++)
            for (size_t t = 0; t < kThreads; t++)
                require(found[t][at] == alone[k], "a result depends on other threads");
    }
    printf("%zu\n", kThreads * at);
    gkl_shim_correct_counter_close(counter);
    return 0;
}
