#include <string.h>

#include <algorithm>
#include <vector>

#include "common/error.h"
#include "common/per_thread.h"
#include "hmm/cuda/planner/packing.h"
#include "hmm/cuda/planner/steps.h"
#include "hmm/letters.h"
#include "hmm/pairhmm/plan.h"

namespace gkl_shim::pairhmm {
namespace {

// With fewer stripes of long reads than this for each multiprocessor, each stripe is shared by
// several warps: one a stream.
constexpr int kBusyStripes = 8;

// Buffers of a thread for packing reads.
struct RowMemory {
    std::vector<uint16_t> steps;  // of each row
    std::vector<int32_t> sorted;  // rows, the longest first
};
PerThread<RowMemory> row_memory;

// Buffers of a thread for merging haplotypes.
struct TrieMemory {
    Planner planner;
    std::vector<uint8_t> letters;
    std::vector<Haplotype> all, haplotypes;  // of a part's region; those of `chosen`
    std::vector<int32_t> chosen;             // haplotypes
    Trie heads, tails;
};
PerThread<TrieMemory> trie_memory;

// Packs the reads of a part that is not striped into tiles.
int64_t pack_rows(const ChunkPlan &plan, RegionPart &part, Group *group) {
    group->rows.resize(size_t(part.first_row + part.reads));
    row_memory->steps.resize(size_t(part.reads));
    int32_t *const rows = group->rows.data() + part.first_row;
    uint16_t *const steps = row_memory->steps.data();
    Lengths lengths;
    const int64_t *offsets = plan.batch.read_offsets + part.first_read;
    const bool all = !plan.values;
    int64_t bases = 0;
    int32_t count = 0;
    for (int32_t r = 0; r < part.reads; r++) {
        const int64_t length = offsets[r + 1] - offsets[r];
        if (length > plan.widths.longest() || !(all || plan.read_wanted(part, r))) continue;
        const int step = Lengths::step(length);
        rows[count] = r;
        steps[count++] = uint16_t(step);
        lengths.add(step);
        if (plan.read_untried(part, r)) bases += length;
    }
    group->rows.resize(size_t(part.first_row + count));

    int32_t at[Lengths::kMaxStep + 1], next = 0;
    Packer packer;
    part.width = plan.width;
    lengths.each([&](int step, int32_t reads) {
        while (plan.widths.lanes(part.width, step) > kWarp) part.width++;
        packer.add(plan.widths.lanes(part.width, step), reads);
        at[step] = next;
        next += reads;
    });
    row_memory->sorted.resize(size_t(count));
    int32_t *const sorted = row_memory->sorted.data();
    for (int32_t k = 0; k < count; k++) sorted[at[steps[k]]++] = k;

    group->reads.resize(size_t(part.first_row + count));
    ReadRecord *read = group->reads.data() + part.first_row;
    // With room for writing eight at a time.
    uint8_t read_of[kWarp + 8];
    int32_t reads = 0, widest = 0, used = 0;
    packer.pack(
        [&](int32_t k, int lane, int lanes) {
            const int32_t row = sorted[k];
            const int64_t *const ends = offsets + rows[row];
            *read++ = {int32_t(ends[0] - offsets[0]),
                       int32_t(ends[1] - ends[0]),
                       row,
                       uint8_t(lane),
                       uint8_t(lanes),
                       0};
            const uint64_t eight = uint64_t(reads) * 0x0101010101010101;
            for (int z = 0; z < lanes; z += 8) memcpy(read_of + lane + z, &eight, 8);
            widest = lane == 0 ? lanes : widest;
            used = lane + lanes;
            reads++;
        },
        [&] {
            memset(read_of + used, kNoRead, size_t(kWarp - used));
            group->packed.push_back({reads, widest, {}});
            memcpy(group->packed.back().read_of, read_of, kWarp);
            reads = 0;
        });
    part.tiles = int32_t(group->packed.size()) - part.first_packed;
    return bases;
}

// Lists the reads of a striped part, the longest first. Each is cut into stripes.
int64_t list_stripes(const ChunkPlan &plan, RegionPart &part, Group *group) {
    const int64_t *offsets = plan.batch.read_offsets + part.first_read;
    std::vector<int32_t> &rows = group->rows;
    int64_t bases = 0;
    part.width = GKL_SHIM_PAIRHMM_CUDA_WIDTHS;
    part.tiles = 0;
    for (int32_t r = 0; r < part.reads; r++)
        if (plan.belongs_to(part, offsets[r + 1] - offsets[r]) && plan.read_wanted(part, r))
            rows.push_back(r);
    std::stable_sort(rows.begin() + part.first_row, rows.end(), [&](int32_t x, int32_t y) {
        return offsets[x + 1] - offsets[x] > offsets[y + 1] - offsets[y];
    });
    for (size_t k = size_t(part.first_row); k < rows.size(); k++) {
        const int64_t *const ends = offsets + rows[k];
        const int64_t length = ends[1] - ends[0];
        group->reads.push_back({int32_t(ends[0] - offsets[0]), int32_t(length),
                                int32_t(k) - part.first_row, 0, kWarp, 0});
        part.tiles += int32_t(stripes_of(length));
        if (plan.read_untried(part, rows[k])) bases += length;
    }
    group->ranks.resize(rows.size());
    return bases;
}

// Adds the part's reads to the group's lists, and its tiles if it is not striped. Returns the
// bases of reads that are computed for the first time.
int64_t add_reads(const ChunkPlan &plan, RegionPart &part, Group *group) {
    part.first_row = int32_t(group->rows.size());
    part.first_packed = int32_t(group->packed.size());
    part.width = part.tiles = part.rows = 0;
    const int64_t bases =
        part.striped ? list_stripes(plan, part, group) : pack_rows(plan, part, group);
    part.rows = int32_t(group->rows.size()) - part.first_row;
    return bases;
}

// How many streams a trie of the part is cut into. `longest`: its longest sequence.
int32_t streams_of(const ChunkPlan &plan, const RegionPart &part, const Trie &trie,
                   int64_t longest) {
    if (!part.striped) {
        // ColumnStreams do not share states.
        const int32_t room = kMaxStates - 1 - trie.leaves;
        const int32_t most = trie.slots > 0 ? std::max(1, room / trie.slots) : trie.leaves;
        return std::min({plan.streams, most, trie.leaves});
    }
    // The chunker has made room for as many states as one stream has.
    const int64_t most = trie.slots > 0 ? trie.leaves / trie.slots : trie.leaves;
    const int64_t wanted = kBusyStripes * plan.options.multiprocessors / (2 * plan.stripes);
    // Each stream computes the columns that it shares with others again.
    const int64_t useful = (trie.columns() + longest / 2) / std::max<int64_t>(longest, 1);
    return int32_t(std::max<int64_t>(1, std::min({wanted, most, useful, int64_t(trie.leaves)})));
}

void encode_haplotypes(const ChunkPlan &plan, const RegionPart &part, Group *group) {
    TrieMemory &memory = *trie_memory;
    const int64_t *offsets =
        plan.batch.haplotype_offsets + plan.batch.region_haplotypes[part.region];
    const int64_t letters = offsets[part.haplotype_count] - offsets[0];
    memory.letters.resize(size_t(letters));
    if (encode(plan.options.conventions == GKL_SHIM_AS_GKL, plan.batch.haplotype_bases + offsets[0],
               letters, memory.letters.data()) >= 0)
        group->refused = part.region;
    memory.all.clear();
    for (int32_t h = 0; h < part.haplotype_count; h++)
        memory.all.emplace_back(memory.letters.data() + (offsets[h] - offsets[0]),
                                offsets[h + 1] - offsets[h]);
    memory.planner.cut(memory.all.data(), part.haplotype_count);
}

// Merges the chosen haplotypes: their heads into one trie, their tails into another.
void make_tries() {
    TrieMemory &memory = *trie_memory;
    memory.haplotypes.clear();
    for (const int32_t h : memory.chosen) memory.haplotypes.push_back(memory.all[size_t(h)]);
    memory.planner.make_tries(memory.haplotypes.data(), int64_t(memory.haplotypes.size()),
                              &memory.heads, &memory.tails);
}

// Adds the haplotypes for which some read of the part lacks the result, and the streams of
// their tries.
void add_haplotypes(const ChunkPlan &plan, RegionPart &part, Group *group) {
    TrieMemory &memory = *trie_memory;
    const int64_t *offsets =
        plan.batch.haplotype_offsets + plan.batch.region_haplotypes[part.region];
    encode_haplotypes(plan, part, group);
    part.first_haplotype = int32_t(group->haplotypes.size());
    memory.chosen.clear();
    const int32_t *rows = group->rows.data() + part.first_row;
    for (int32_t h = 0; h < part.haplotype_count; h++)
        if (std::any_of(rows, rows + part.rows,
                        [&](int32_t read) { return plan.pair_wanted(part, read, h); }))
            memory.chosen.push_back(h);
    part.haplotypes = int32_t(memory.chosen.size());
    ColumnStreams &streams = group->streams;
    part.first_trie = int32_t(streams.tries.size());
    part.first_column = int32_t(streams.columns());
    part.heads = part.tails = part.columns = part.head_states = part.tail_states = 0;
    part.trie_columns = 0;
    if (part.haplotypes == 0 || group->refused >= 0) return;
    const Trie &heads = memory.heads, &tails = memory.tails;
    make_tries();
    int64_t longest_head = 0, longest_tail = 0;
    for (const Haplotype &haplotype : memory.haplotypes) {
        longest_head = std::max(longest_head, haplotype.cut);
        longest_tail = std::max(longest_tail, haplotype.length - haplotype.cut);
    }
    const bool cut = longest_tail > 0;
    const int32_t head_streams = streams_of(plan, part, heads, longest_head);
    const int32_t tail_streams = cut ? streams_of(plan, part, tails, longest_tail) : 0;
    part.head_states = heads.leaves + head_streams * heads.slots;
    part.tail_states = cut ? tails.leaves + tail_streams * tails.slots : 0;
    if (std::max(part.head_states, part.tail_states) >= kMaxStates) {
        // More states than the kernels can hold: the CPU computes the part.
        part.rows = part.tiles = part.haplotypes = 0;
        group->rows.resize(size_t(part.first_row));
        group->reads.resize(size_t(part.first_row));
        group->packed.resize(size_t(part.first_packed));
        return;
    }
    if (plan.values)
        group->chosen.insert(group->chosen.end(), memory.chosen.begin(), memory.chosen.end());
    part.trie_columns = heads.columns() + tails.columns();
    part.heads = streams.append(heads, false, head_streams);
    if (cut) part.tails = streams.append(tails, true, tail_streams);
    int32_t seam = 0;
    for (size_t k = size_t(part.first_trie); k < streams.tries.size(); k++) {
        streams.tries[k].seam = seam;
        seam += streams.tries[k].length + 2 * kSeamMargin;
    }
    part.columns = int32_t(streams.columns()) - part.first_column;
    for (size_t k = 0; k < memory.chosen.size(); k++) {
        const int32_t h = memory.chosen[k];
        group->haplotypes.push_back({heads.leaf_of[k], cut ? tails.leaf_of[k] : kNone,
                                     int32_t(offsets[h + 1] - offsets[h]), 0});
    }
}

void clear(Group *group) {
    group->rows.clear();
    group->reads.clear();
    group->ranks.clear();
    group->packed.clear();
    group->haplotypes.clear();
    group->chosen.clear();
    group->streams.clear();
    group->passes = group->joins = group->striped_passes = group->striped_joins = 0;
    group->bytes = group->results = group->computed_cells = 0;
    group->refused = -1;
}

// Finds tracks that are the same, because these are sent once.
void compare_tracks(const ChunkPlan &plan, Group *group) {
    const gkl_shim_pairhmm_batch &batch = plan.batch;
    group->one_gap_open = true;
    group->one_continuation = batch.continuation_quals[plan.parts[group->first_part].first_byte];
    plan.each_byte_range(group->first_part, group->end_part, [&](int64_t from, int64_t size) {
        group->one_gap_open =
            group->one_gap_open &&
            memcmp(batch.insertion_quals + from, batch.deletion_quals + from, size_t(size)) == 0;
        const uint8_t *quals = batch.continuation_quals + from;
        if (quals[0] != group->one_continuation || memcmp(quals, quals + 1, size_t(size - 1)) != 0)
            group->one_continuation = -1;
    });
}

// A grid has no more rows.
constexpr int32_t kMaxGridRows = 65535;

// The warps that join this many pairs, one lane a pair. With more, each takes several of them.
int32_t joining_warps(int32_t pairs) { return std::min((pairs + kWarp - 1) / kWarp, kMaxGridRows); }

void plan_group(ChunkPlan *plan, Group *group) {
    clear(group);
    for (int64_t k = group->first_part; k < group->end_part; k++) {
        RegionPart &part = plan->parts[k];
        const int64_t read_bases = add_reads(*plan, part, group);
        add_haplotypes(*plan, part, group);
        part.first_result = group->results;
        group->results += int64_t(part.rows) * part.haplotypes;
        group->computed_cells += read_bases * part.trie_columns;
        group->bytes += part.bytes;
        if (part.striped) {
            group->striped_passes = std::max(group->striped_passes, part.heads + part.tails);
            group->striped_joins = std::max(group->striped_joins, joining_warps(part.haplotypes));
        } else {
            group->passes = std::max(group->passes, part.heads + part.tails);
            group->joins = std::max(
                group->joins, joining_warps(std::min<int32_t>(part.rows, kWarp) * part.haplotypes));
        }
    }
    compare_tracks(*plan, group);
}

}  // namespace

gkl_shim_status plan_groups(ChunkPlan *plan) {
    plan->each_group(plan->nanoseconds, [&](Group &group) { plan_group(plan, &group); });
    for (int64_t k = 0; k < plan->group_count; k++)
        if (plan->groups[k]->refused >= 0)
            return invalid("haplotype_bases: a letter of region %lld is none of ACGTN",
                           (long long)plan->groups[k]->refused);
    return GKL_SHIM_OK;
}

}  // namespace gkl_shim::pairhmm
