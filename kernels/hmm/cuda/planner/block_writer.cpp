#include <string.h>

#include "hmm/cuda/planner/steps.h"

namespace gkl_shim::pairhmm {
namespace {

// The time that writing takes one thread, in nanoseconds.
constexpr int64_t kWritePerRead = 5, kWritePerBase = 1;

// The block of a chunk, to which groups are written.
class GroupWriter {
   public:
    GroupWriter(const ChunkPlan &plan, uint8_t *block, bool tracks)
        : plan_(plan), block_(block), tracks_(tracks) {}

    void write(const Group &group) const {
        if (group.rows.empty()) return;
        const ColumnStreams &streams = group.streams;
        write_tracks(group);
        memcpy(block_ + plan_.columns_offset + group.first_column, streams.letters.data(),
               streams.letters.size());
        memcpy(array<HaplotypeRecord>(plan_.header.haplotypes) + group.first_haplotype,
               group.haplotypes.data(), group.haplotypes.size() * sizeof(HaplotypeRecord));
        write_tries(group);
        int64_t byte = group.first_byte, next_byte = byte;
        for (int64_t k = group.first_part; k < group.end_part; k++) {
            const RegionPart &part = plan_.parts[k];
            if (!part.striped) byte = next_byte;
            next_byte += part.bytes;
            if (part.rows == 0) continue;
            write_region(group, part, int32_t(k));
            write_reads(group, part, int32_t(byte));
            if (part.striped)
                write_stripes(group, part, int32_t(k));
            else
                write_tiles(group, part, int32_t(k));
        }
    }

   private:
    template <class A>
    A *array(int64_t offset) const {
        return reinterpret_cast<A *>(block_ + offset);
    }

    void write_tracks(const Group &group) const {
        if (!plan_.header.continuation_mask)
            block_[plan_.header.continuation_quals] = uint8_t(group.one_continuation);
        if (!tracks_) return;
        plan_.each_track(group.first_part, group.end_part, group.first_byte,
                         [&](int64_t to, const uint8_t *from, int64_t size) {
                             memcpy(block_ + to, from, size_t(size));
                         });
    }

    void write_tries(const Group &group) const {
        const ColumnStreams &streams = group.streams;
        TrieRecord *trie = array<TrieRecord>(plan_.header.tries) + group.first_trie;
        Event *event = array<Event>(plan_.events_offset) + group.first_event;
        for (size_t k = 0; k < streams.tries.size(); k++) {
            const uint32_t column =
                uint32_t(plan_.columns_offset + group.first_column) + streams.tries[k].columns;
            *trie++ = {column, uint32_t(reinterpret_cast<uint8_t *>(event) - block_),
                       streams.tries[k].length, streams.tries[k].seam};
            const Event *from = streams.events.data() + streams.tries[k].events;
            for (; from->at != kNoEvent; from++) *event++ = {from->at + column, from->what};
            *event++ = *from;
        }
    }

    void write_region(const Group &group, const RegionPart &part, int32_t region) const {
        array<RegionRecord>(plan_.header.regions)[region] = {
            int32_t(group.first_trie + part.first_trie),
            part.heads,
            part.tails,
            int32_t(group.first_haplotype + part.first_haplotype),
            part.haplotypes,
            int32_t(part.seam_columns()),
            part.striped ? part.seams : 0,
            group.first_result + part.first_result};
    }

    void write_reads(const Group &group, const RegionPart &part, int32_t first_byte) const {
        const ReadRecord *const from = group.reads.data() + part.first_row;
        ReadRecord *const to =
            array<ReadRecord>(plan_.header.reads) + group.first_row + part.first_row;
        for (int32_t k = 0; k < part.rows; k++) {
            ReadRecord read = from[k];
            read.start += first_byte;
            to[k] = read;
        }
    }

    void write_tiles(const Group &group, const RegionPart &part, int32_t region) const {
        int32_t at = int32_t(group.first_row + part.first_row);
        TileRecord *const tiles = array<TileRecord>(plan_.header.tiles) + part.first_tile;
        const PackedTile *const packed = group.packed.data() + part.first_packed;
        int64_t scratch = part.scratch;
        const int64_t tile_scratch = plan_.tile_scratch(part);
        for (int32_t k = 0; k < part.tiles; k++) {
            tiles[k] = {at,      packed[k].reads,  part.head_states, part.tail_states,
                        scratch, packed[k].widest, region,           {}};
            memcpy(tiles[k].read_of, packed[k].read_of, kWarp);
            scratch += tile_scratch;
            at += packed[k].reads;
        }
    }

    void write_stripes(const Group &group, const RegionPart &part, int32_t region) const {
        const int32_t at = int32_t(group.first_row + part.first_row);
        TileRecord *tiles = array<TileRecord>(plan_.header.tiles);
        int64_t scratch = part.scratch;
        const int64_t stripe_scratch = plan_.tile_scratch(part);
        for (int32_t k = 0, seam = 0; k < part.rows; k++) {
            const size_t row = size_t(part.first_row + k);
            const int32_t stripes = int32_t(stripes_of(group.reads[row].length));
            for (int32_t stripe = 0; stripe < stripes; stripe++)
                tiles[plan_.first_stripe[size_t(stripe)] + group.ranks[row]] = {
                    at + k, seam, part.head_states, part.tail_states, scratch, stripe, region, {}};
            seam += stripes;
            scratch += stripes * stripe_scratch;
        }
    }

    const ChunkPlan &plan_;
    uint8_t *const block_;
    const bool tracks_;
};

}  // namespace

void write_block(ChunkPlan *plan, uint8_t *block, bool tracks) {
    memcpy(block, &plan->header, sizeof plan->header);
    memset(block + plan->columns_offset, kA, kColumnMargin);
    memset(block + plan->events_offset - plan->bytes_after_columns, kA,
           size_t(plan->bytes_after_columns));
    const GroupWriter writer(*plan, block, tracks);
    plan->each_group(plan->row_count * kWritePerRead + plan->read_bases * kWritePerBase,
                     [&](const Group &group) { writer.write(group); });
}

}  // namespace gkl_shim::pairhmm
