#include <math.h>

#include <algorithm>
#include <limits>

#include "hmm/cuda/planner/packing.h"
#include "hmm/cuda/planner/steps.h"

namespace gkl_shim::pairhmm {
namespace {

// Cycles that a column takes a warp that runs alone. Measured on an H200.
constexpr double kLatencyPerRow = 9, kLatencyPerColumn = 50;
// Cycles that each lane of a read adds to a lone warp's pass, since lanes reach an event one after
// another.
constexpr double kLatencyPerLane = 1200;

// About how many parts are in the sample.
constexpr int64_t kSample = 16;

// What setting up and joining cost, in columns.
constexpr double kColumnsPerTile = 20;

// With fewer tiles than this for each multiprocessor, several warps share a tile, one for each
// stream, so that there are this many warps.
constexpr int kBusyTiles = 8;

// In cycles, and tiles.
struct Cost {
    double longest;            // of the longest tile
    double longest_haplotype;  // of its longest haplotype alone
    double all, tiles;
};

void add_part(const ChunkPlan &plan, const RegionPart &part, double weight, Cost *costs) {
    const int64_t *offsets = plan.batch.read_offsets + part.first_read;
    Lengths lengths;
    for (int64_t r = 0; r < part.reads; r++)
        if (offsets[r + 1] - offsets[r] <= plan.widths.longest())
            lengths.add(Lengths::step(offsets[r + 1] - offsets[r]));
    const int64_t *haplotypes =
        plan.batch.haplotype_offsets + plan.batch.region_haplotypes[part.region];
    // Haplotypes of a region share most of their columns.
    const double count = double(part.haplotype_count);
    const double length = double(haplotypes[part.haplotype_count] - haplotypes[0]) / count;
    const double columns = length * sqrt(count) + kColumnsPerTile;
    for (int w = 0; w < plan.widths.count(); w++) {
        int width = w, longest = 0;
        Packer packer;
        lengths.each([&](int step, int32_t reads) {
            while (plan.widths.lanes(width, step) > kWarp) width++;
            longest = std::max(longest, plan.widths.lanes(width, step));
            packer.add(plan.widths.lanes(width, step), reads);
        });
        int32_t packed = 0;
        packer.pack([](int32_t, int, int) {}, [&] { packed++; });
        const double tiles = packed * weight;
        const double latency = kLatencyPerRow * plan.widths.rows(width) + kLatencyPerColumn;
        Cost &cost = costs[w];
        cost.longest = std::max(cost.longest, columns * latency);
        cost.longest_haplotype =
            std::max(cost.longest_haplotype,
                     (length + kColumnsPerTile) * latency + 2 * longest * kLatencyPerLane);
        cost.all += tiles * columns * plan.widths.cycles(width);
        cost.tiles += tiles;
    }
}

}  // namespace

void choose_width(ChunkPlan *plan) {
    Cost costs[GKL_SHIM_PAIRHMM_CUDA_WIDTHS] = {};
    const int64_t parts = int64_t(plan->parts.size()), step = (parts + kSample - 1) / kSample;
    for (int64_t k = 0; k < parts; k += step)
        if (!plan->parts[size_t(k)].striped)
            add_part(*plan, plan->parts[size_t(k)], double(step), costs);
    double best = std::numeric_limits<double>::infinity();
    for (int w = 0; w < plan->widths.count(); w++) {
        const Cost &cost = costs[w];
        // ColumnStreams of a trie; 0: one warp computes the whole tile. Stripes make the device
        // busy too.
        const int streams = int(kBusyTiles * plan->multiprocessors /
                                    std::max(1.0, cost.tiles + 2 * double(plan->stripes)) +
                                1) /
                            2;
        const double longest = streams == 0
                                   ? cost.longest
                                   : std::max(cost.longest / streams, cost.longest_haplotype) / 2;
        const double time = longest + cost.all / plan->multiprocessors;
        const bool asked_for = plan->widths.rows(w) == plan->options.rows_per_lane;
        if (time >= best && !asked_for) continue;
        best = time;
        plan->width = w;
        plan->streams = std::max(streams, 1);
        plan->chunk.passes = streams == 0;
        if (asked_for) break;
    }
}

}  // namespace gkl_shim::pairhmm
