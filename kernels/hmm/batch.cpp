#include "hmm/batch.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "common/cpu.h"
#include "common/thread_pool.h"
#include "hmm/letters.h"

namespace gkl_shim::hmm {
namespace {

// Long arrays of offsets are read by several threads, a piece at a time.
constexpr int64_t kPiece = 1 << 14, kPieceNanoseconds = 1 << 14;

// Regions with at most this many reads and haplotypes, on average, are checked together with them.
constexpr int64_t kFewSequences = 8;

// Calls check(begin, end) for pieces of [0, count). Returns whether all calls have returned true.
// What checks a long array goes on to the next one, or to computing.
template <class Check>
bool all_pieces(int64_t count, Check check) {
    if (count <= kPiece) return check(0, count);
    std::atomic<bool> all{true};
    parallel_for((count + kPiece - 1) / kPiece, count / kPiece * kPieceNanoseconds,
                 allowed_threads(0), Calls::kSeveral, [&](int64_t k) {
                     const int64_t begin = k * kPiece;
                     if (all && !check(begin, std::min(begin + kPiece, count))) all = false;
                 });
    return all;
}

// Whether each offset of (begin, end] is at least `least` and at most `most` after the one before.
bool in_steps(const int64_t *offsets, int64_t begin, int64_t end, int64_t least, int64_t most) {
    // Subtractions may overflow, but not if all offsets are below kTooLarge. Or-ing numbers whose
    // highest bit says that something is wrong takes less time than comparing.
    constexpr uint64_t kTooLarge = uint64_t(1) << 62;
    static_assert(kMaxElements < int64_t(kTooLarge), "no step may be longer");
    uint64_t any = uint64_t(offsets[begin]), wrong = 0;
    for (int64_t k = begin; k < end; k++) {
        const uint64_t above = uint64_t(offsets[k + 1]) - uint64_t(offsets[k]) - uint64_t(least);
        any |= uint64_t(offsets[k + 1]);
        wrong |= above | (uint64_t(most - least) - above);
    }
    return any < kTooLarge && int64_t(wrong) >= 0;
}

// The same for all offsets, of which the first is 0.
bool in_steps(const int64_t *offsets, int64_t count, int64_t least, int64_t most) {
    if (!offsets || offsets[0] != 0) return false;
    return all_pieces(count, [&](int64_t begin, int64_t end) {
        return in_steps(offsets, begin, end, least, most);
    });
}

bool check_regions(const char *name, const int64_t *offsets, int64_t count) {
    return in_steps(offsets, count, 0, kMaxElements) || check_offsets(name, offsets, count);
}

bool check_sequences(const char *name, const char *kind, const int64_t *offsets, int64_t count,
                     int32_t longest) {
    if (count > kMaxElements)
        return fail("%s: %lld sequences are more than fit into any memory", name, (long long)count);
    if (in_steps(offsets, count, 1, longest)) return true;
    if (!check_offsets(name, offsets, count)) return false;
    for (int64_t k = 0; k < count; k++) {
        const int64_t length = offsets[k + 1] - offsets[k];
        if (length == 0) return fail("%s: sequence %lld has length 0", name, (long long)k);
        if (length > longest)
            return fail("%s %lld has %lld letters; at most %d are allowed", kind, (long long)k,
                        (long long)length, longest);
    }
    return true;
}

// Adds x * y to *sum. Returns false on overflow.
bool add_product(int64_t x, int64_t y, int64_t *sum) {
    int64_t product;
    return !__builtin_mul_overflow(x, y, &product) && !__builtin_add_overflow(*sum, product, sum);
}

// Adds a region to a shape. Returns what cannot be counted, or null.
const char *add_region(const gkl_shim_pairhmm_batch &b, int64_t region, Shape *shape) {
    const int64_t reads = b.region_reads[region + 1] - b.region_reads[region];
    const int64_t haplotypes = b.region_haplotypes[region + 1] - b.region_haplotypes[region];
    const int64_t bases =
        b.read_offsets[b.region_reads[region + 1]] - b.read_offsets[b.region_reads[region]];
    const int64_t letters = haplotype_letters(b, region);
    shape->letters = std::max(shape->letters, letters);
    shape->one_haplotype &= haplotypes == 1;
    if (!add_product(reads, haplotypes, &shape->pairs)) return "pairs";
    return add_product(bases, letters, &shape->cells) ? nullptr : "cells";
}

// The shape of a batch, of which several threads find parts.
class SharedShape {
   public:
    SharedShape(const gkl_shim_pairhmm_batch &batch, int64_t most_letters, Shape *shape)
        : batch_(batch), most_letters_(most_letters), shape_(*shape) {
        shape_ = {};
    }

    // Adds the regions [begin, end). Returns false if a region has too many letters, or if the
    // counts overflow.
    bool add(int64_t begin, int64_t end) {
        Shape part;
        for (int64_t g = begin; g < end; g++)
            if (add_region(batch_, g, &part)) return false;
        if (part.letters > most_letters_) return false;
        const std::lock_guard<std::mutex> lock(adding_);
        shape_.letters = std::max(shape_.letters, part.letters);
        shape_.one_haplotype &= part.one_haplotype;
        return !__builtin_add_overflow(shape_.pairs, part.pairs, &shape_.pairs) &&
               !__builtin_add_overflow(shape_.cells, part.cells, &shape_.cells);
    }

   private:
    const gkl_shim_pairhmm_batch &batch_;
    const int64_t most_letters_;
    Shape &shape_;
    std::mutex adding_;
};

// Checks regions of few sequences, and finds their shape. Each offset is read from memory once.
// Returns false if something is wrong, or if regions have more sequences.
bool check_small_regions(const gkl_shim_pairhmm_batch &b, Shape *shape, const Limits &limits) {
    if (!b.region_reads || !b.region_haplotypes || !b.read_offsets || !b.haplotype_offsets)
        return false;
    if (b.region_reads[0] | b.region_haplotypes[0] | b.read_offsets[0] | b.haplotype_offsets[0])
        return false;
    const int64_t most = kFewSequences * b.regions;
    SharedShape shared(b, limits.region, shape);
    const auto in_order = [&](const int64_t *regions, const int64_t *offsets, int32_t longest,
                              int64_t begin, int64_t end) {
        return in_steps(regions, begin, end, 0, most) && regions[begin] >= 0 &&
               regions[end] <= regions[b.regions] &&
               in_steps(offsets, regions[begin], regions[end], 1, longest);
    };
    return b.region_reads[b.regions] <= most && b.region_haplotypes[b.regions] <= most &&
           all_pieces(b.regions, [&](int64_t begin, int64_t end) {
               return in_order(b.region_reads, b.read_offsets, limits.read, begin, end) &&
                      in_order(b.region_haplotypes, b.haplotype_offsets, limits.haplotype, begin,
                               end) &&
                      shared.add(begin, end);
           });
}

}  // namespace

bool find_shape(const gkl_shim_pairhmm_batch &b, Shape *shape, int64_t most_letters) {
    SharedShape shared(b, most_letters, shape);
    return all_pieces(b.regions,
                      [&](int64_t begin, int64_t end) { return shared.add(begin, end); });
}

int64_t count_pairs(const gkl_shim_pairhmm_batch &b) {
    std::atomic<int64_t> pairs{0};
    all_pieces(b.regions, [&](int64_t begin, int64_t end) {
        int64_t some = 0;
        for (int64_t g = begin; g < end; g++)
            some += (b.region_reads[g + 1] - b.region_reads[g]) *
                    (b.region_haplotypes[g + 1] - b.region_haplotypes[g]);
        pairs += some;
        return true;
    });
    return pairs;
}

bool check_shape(const gkl_shim_pairhmm_batch &b, Shape *shape, const Limits &limits) {
    *shape = {};
    if (!check_count("regions", b.regions)) return false;
    if (b.regions == 0 || check_small_regions(b, shape, limits)) return true;
    *shape = {};
    if (!check_regions("region_reads", b.region_reads, b.regions) ||
        !check_regions("region_haplotypes", b.region_haplotypes, b.regions) ||
        !check_sequences("read_offsets", "read", b.read_offsets, b.region_reads[b.regions],
                         limits.read) ||
        !check_sequences("haplotype_offsets", "haplotype", b.haplotype_offsets,
                         b.region_haplotypes[b.regions], limits.haplotype))
        return false;
    if (find_shape(b, shape, limits.region)) return true;
    *shape = {};
    for (int64_t g = 0; g < b.regions; g++) {
        const int64_t letters = haplotype_letters(b, g);
        if (letters > limits.region)
            return fail(
                "region %lld: its haplotypes have %lld letters together; at most %d are "
                "allowed",
                (long long)g, (long long)letters, limits.region);
        if (const char *const what = add_region(b, g, shape))
            return fail("region %lld: more %s than can be counted", (long long)g, what);
    }
    return true;
}

bool check_arrays(const gkl_shim_pairhmm_batch &b) {
    const int64_t read_bases = b.read_offsets[b.region_reads[b.regions]];
    const int64_t haplotype_bases = b.haplotype_offsets[b.region_haplotypes[b.regions]];
    const struct {
        const char *name;
        const uint8_t *pointer;
        int64_t count;
    } arrays[] = {{"read_bases", b.read_bases, read_bases},
                  {"base_quals", b.base_quals, read_bases},
                  {"insertion_quals", b.insertion_quals, read_bases},
                  {"deletion_quals", b.deletion_quals, read_bases},
                  {"continuation_quals", b.continuation_quals, read_bases},
                  {"haplotype_bases", b.haplotype_bases, haplotype_bases}};
    for (const auto &array : arrays)
        if (!array.pointer && array.count > 0) return fail("%s is null", array.name);
    return true;
}

bool check_letters(bool as_gkl, const gkl_shim_pairhmm_batch &b) {
    const auto check = [&](const char *name, const uint8_t *bases, const int64_t *offsets,
                           int64_t count) {
        return check_none(name, bases, offsets, find_refused(as_gkl, bases, offsets[count]),
                          "letters are ACGTN");
    };
    return check("read_bases", b.read_bases, b.read_offsets, b.region_reads[b.regions]) &&
           check("haplotype_bases", b.haplotype_bases, b.haplotype_offsets,
                 b.region_haplotypes[b.regions]);
}

bool check_none(const char *name, const uint8_t *bytes, const int64_t *offsets, int64_t at,
                const char *problem) {
    if (at < 0) return true;
    int64_t sequence = 0;
    while (offsets[sequence + 1] <= at) sequence++;
    return fail("%s: sequence %lld has the byte 0x%02x at position %lld; %s", name,
                (long long)sequence, bytes[at], (long long)(at - offsets[sequence]), problem);
}

}  // namespace gkl_shim::hmm
