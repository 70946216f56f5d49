#include <algorithm>
#include <limits>
#include <memory>

#include "hmm/batch.h"
#include "hmm/cuda/planner/steps.h"

namespace gkl_shim::pairhmm {
namespace {

// A chunk of striped reads has this many times more cells: such a read takes equally long, however
// many are computed side by side.
constexpr int64_t kStripedChunk = 8;

// The most bases of a chunk's reads, about: its block is sent while another chunk is computed.
constexpr int64_t kChunkReadBases = int64_t(1) << 22;

// The time that planning takes one thread, in nanoseconds.
constexpr int64_t kPlanPerRegion = 500, kPlanPerRead = 10, kPlanPerLetter = 1;
// The time to plan a group: long enough that handing it to a thread costs little, short enough that
// all threads have work.
constexpr int64_t kGroupNanoseconds = 20000;

// The choice of a chunk's reads: regions in the batch's order, until the chunk is full.
class Chunker {
   public:
    explicit Chunker(ChunkPlan *plan) : plan_(*plan), options_(plan->options) {}

    void choose_reads(BatchPlace *place);

   private:
    // The reads of a region that are still to be computed, [first, reads_end).
    struct Region {
        int64_t number, first, reads_end;
        int64_t haplotypes, letters;  // and the bases of these
        int64_t first_pair;           // of the first read
        int64_t most_stripes;         // of a read that is computed
        int64_t state_bytes;          // of a base
    };

    Region region_at(const BatchPlace &place) const;
    bool add_all_reads(const Region &region);
    int64_t add_reads(const Region &region, int64_t *stripes, bool *any);
    void add_part(const Region &region, int64_t end, int64_t stripes);
    int64_t most_stripe_scratch(int64_t haplotypes, int64_t letters) const;
    int64_t most_stripes(int64_t haplotypes, int64_t letters) const;

    ChunkPlan &plan_;
    const PlannerOptions &options_;
    int64_t cells_ = 0, scratch_ = 0, letters_ = 0;
    int64_t group_nanoseconds_ = 0;  // of the last group
    bool is_full_ = false;
};

void Chunker::choose_reads(BatchPlace *place) {
    plan_.parts.clear();
    plan_.group_count = plan_.read_bases = plan_.nanoseconds = plan_.stripes = 0;
    plan_.chunk = {};
    const int64_t most_nanoseconds =
        options_.planning > 0 ? options_.planning : std::numeric_limits<int64_t>::max();
    const gkl_shim_pairhmm_batch &batch = plan_.batch;
    while (place->region < batch.regions && !is_full_ && plan_.nanoseconds < most_nanoseconds) {
        const Region region = region_at(*place);
        is_full_ = letters_ + region.letters > kChunkLetters;
        if (is_full_) break;
        int64_t end = region.reads_end, stripes = 0;
        bool any = end > region.first;
        if (!add_all_reads(region)) end = add_reads(region, &stripes, &any);
        if (any && region.haplotypes > 0) add_part(region, end, stripes);
        if (end < region.reads_end) {
            place->read = end - batch.region_reads[region.number];
        } else {
            place->pair += (end - batch.region_reads[region.number]) * region.haplotypes;
            place->region++;
            place->read = 0;
        }
    }
}

Chunker::Region Chunker::region_at(const BatchPlace &place) const {
    const gkl_shim_pairhmm_batch &batch = plan_.batch;
    const int64_t g = place.region;
    // The offsets of a region some way ahead come into the cache in time.
    const int64_t ahead = std::min(g + 8, batch.regions);
    __builtin_prefetch(batch.read_offsets + batch.region_reads[ahead]);
    __builtin_prefetch(batch.haplotype_offsets + batch.region_haplotypes[ahead]);
    Region region;
    region.number = g;
    region.first = batch.region_reads[g] + place.read;
    region.reads_end = batch.region_reads[g + 1];
    region.haplotypes = haplotypes_of(batch, g);
    region.letters = hmm::haplotype_letters(batch, g);
    region.first_pair = place.pair + place.read * region.haplotypes;
    region.most_stripes = most_stripes(region.haplotypes, region.letters);
    region.state_bytes =
        (4 * region.haplotypes + 4) * (options_.precision == GKL_SHIM_SINGLE ? 8 : 16);
    return region;
}

// Adds all reads at once if they fit, as they usually do.
bool Chunker::add_all_reads(const Region &region) {
    if (plan_.values) return false;
    const int64_t *const offsets = plan_.batch.read_offsets;
    const int64_t bases = offsets[region.reads_end] - offsets[region.first];
    const int64_t scratch =
        (bases + (region.reads_end - region.first) * kWarp) * region.state_bytes;
    if (cells_ + bases * region.letters > options_.cells ||
        scratch_ + scratch > options_.scratch_bytes || plan_.read_bases + bases > kChunkReadBases)
        return false;
    cells_ += bases * region.letters;
    scratch_ += scratch;
    plan_.read_bases += bases;
    return true;
}

// Adds reads one by one until the chunk is full, and returns the end of those added. Reads that
// the kernels cannot hold stay in the chunk, and have no result. *any becomes whether any read is
// wanted.
int64_t Chunker::add_reads(const Region &region, int64_t *stripes, bool *any) {
    *any = false;
    const int64_t *const offsets = plan_.batch.read_offsets;
    int64_t end = region.first;
    for (; end < region.reads_end; end++) {
        if (!plan_.any_wanted(region.first_pair + (end - region.first) * region.haplotypes,
                              region.haplotypes))
            continue;
        const int64_t length = offsets[end + 1] - offsets[end];
        int64_t cells = length * region.letters;
        int64_t scratch = (length + kWarp) * region.state_bytes;
        int64_t read_stripes = 0;
        if (length > plan_.widths.longest()) {
            if (stripes_of(length) <= region.most_stripes) read_stripes = stripes_of(length);
            cells = read_stripes > 0 ? cells / kStripedChunk : 0;
            scratch = read_stripes * most_stripe_scratch(region.haplotypes, region.letters);
        }
        is_full_ = (!plan_.parts.empty() || *any) && (cells_ + cells > options_.cells ||
                                                      scratch_ + scratch > options_.scratch_bytes ||
                                                      plan_.read_bases + length > kChunkReadBases);
        if (is_full_) break;
        *any = true;
        cells_ += cells;
        scratch_ += scratch;
        plan_.read_bases += length;
        *stripes += read_stripes;
    }
    return end;
}

void Chunker::add_part(const Region &region, int64_t end, int64_t stripes) {
    std::vector<RegionPart> &parts = plan_.parts;
    if (plan_.group_count == 0 || group_nanoseconds_ >= kGroupNanoseconds) {
        if (int64_t(plan_.groups.size()) == plan_.group_count)
            plan_.groups.push_back(std::make_unique<Group>());
        plan_.groups[plan_.group_count++]->first_part = int64_t(parts.size());
        group_nanoseconds_ = 0;
    }
    parts.emplace_back();
    RegionPart &part = parts.back();
    part.region = region.number;
    part.first_read = region.first;
    part.reads = end - region.first;
    part.haplotype_count = region.haplotypes;
    part.striped = false;
    part.most_stripes = region.most_stripes;
    part.first_pair = region.first_pair;
    part.first_byte = plan_.batch.read_offsets[region.first];
    part.bytes = plan_.batch.read_offsets[end] - part.first_byte;
    letters_ += region.letters;
    const int64_t nanoseconds =
        kPlanPerRegion + part.reads * kPlanPerRead + region.letters * kPlanPerLetter;
    group_nanoseconds_ += nanoseconds;
    plan_.nanoseconds += nanoseconds;
    if (stripes > 0) {
        plan_.stripes += stripes;
        parts.push_back(part);
        parts.back().striped = true;
        parts.back().bytes = 0;
    }
    plan_.groups[plan_.group_count - 1]->end_part = int64_t(parts.size());
}

// The most scratch memory that a stripe needs, if haplotypes share nothing. Each haplotype then has
// a leaf and a fork in each trie, and each column and each stream's root has numbers that go to the
// next stripe.
int64_t Chunker::most_stripe_scratch(int64_t haplotypes, int64_t letters) const {
    const int32_t states = int32_t(2 * haplotypes);
    return gpu::aligned(TileScratch<double>(kStripedRows, states, states).bytes) +
           (letters + 4 * kSeamMargin * haplotypes) * int64_t(sizeof(BoundaryState<double>));
}

// The most stripes of a read that is computed. Single precision has no stripes. Double precision
// computes no read that alone might need more scratch memory than a chunk has.
int64_t Chunker::most_stripes(int64_t haplotypes, int64_t letters) const {
    if (options_.precision == GKL_SHIM_SINGLE || haplotypes == 0) return 0;
    return options_.scratch_bytes / most_stripe_scratch(haplotypes, letters);
}

}  // namespace

bool choose_reads(ChunkPlan *plan, const ChunkInputs &inputs, BatchPlace *place) {
    plan->batch = *inputs.batch;
    plan->values = inputs.values;
    plan->threads = inputs.threads;
    plan->multiprocessors =
        std::max(1.0, double(plan->options.multiprocessors) / (1 + inputs.chunks_in_flight));
    Chunker(plan).choose_reads(place);
    return !plan->parts.empty();
}

}  // namespace gkl_shim::pairhmm
