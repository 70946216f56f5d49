#include "records/record.h"

#include <stdlib.h>

namespace gkl_shim::records {
namespace {

// The longest sequence that the bins of an index can hold.
constexpr int64_t kMaxSequence = int64_t(1) << 29;
constexpr int64_t kMaxInsertSize = int64_t(1) << 28;
// What only paired reads may have.
constexpr int32_t kPairFlags = kProperPair | kMateUnmapped | kMateReverse | kFirst | kSecond;

// Sets of CIGAR operators, which are numbered in the order of "MIDNSHP=X".
constexpr uint32_t kMatch = 1, kInsertion = 1 << 1, kDeletion = 1 << 2, kSkip = 1 << 3;
constexpr uint32_t kSoftClip = 1 << 4, kHardClip = 1 << 5, kEqual = 1 << 7, kDifferent = 1 << 8;
constexpr uint32_t kClips = kSoftClip | kHardClip, kIndels = kInsertion | kDeletion;
constexpr uint32_t kMatches = kMatch | kEqual | kDifferent;
constexpr uint32_t kOfReference = kMatches | kDeletion | kSkip;
constexpr uint32_t kOfRead = kMatches | kInsertion | kSoftClip;

}  // namespace

bool Record::parse(const uint8_t *from, const uint8_t *to, const int64_t *lengths,
                   int64_t sequences) {
    start = from;
    end = to;
    reference = load<int32_t>(from + 4);
    position = int64_t(load<int32_t>(from + 8)) + 1;
    name_length = from[12] - 1;
    const int32_t mapping_quality = from[13], elements = load<uint16_t>(from + 16);
    flags = load<uint16_t>(from + kFlags);
    length = load<int32_t>(from + 20);
    mate_reference = load<int32_t>(from + 24);
    mate_position = int64_t(load<int32_t>(from + 28)) + 1;
    const int64_t insert_size = load<int32_t>(from + 32);

    name = from + kFixedSize;
    const int64_t before_bases = kFixedSize + name_length + 1 + 4 * int64_t(elements);
    if (name_length < 0 || length < 0 ||
        to - from < before_bases + (int64_t(length) + 1) / 2 + length || name[name_length] != 0)
        return false;
    qualities = from + before_bases + (int64_t(length) + 1) / 2;
    tags = qualities + length;

    if (reference < -1 || reference >= sequences || mate_reference < -1 ||
        mate_reference >= sequences)
        return false;
    const auto within = [&](int32_t sequence, int64_t place) {
        return sequence == -1 ? place == 0 : place >= 1 && place <= lengths[sequence];
    };
    if (!within(reference, position) || !within(mate_reference, mate_position) ||
        llabs(insert_size) > kMaxInsertSize)
        return false;
    if (has(kPaired) ? !has(kFirst | kSecond) || (mate_reference < 0 && !has(kMateUnmapped))
                     : has(kPairFlags) || mate_reference >= 0)
        return false;
    if (has(kUnmapped)) {
        span = clipped_start = clipped_end = 0;
        return is_primary() && mapping_quality == 0 && elements == 0;
    }
    return reference >= 0 && parse_cigar(name + name_length + 1, elements) &&
           position + span - 1 <= lengths[reference];
}

// Returns whether htsjdk finds no fault in the alignment: clips are at the ends, and no two
// insertions or deletions are neighbours.
bool Record::parse_cigar(const uint8_t *cigar, int32_t elements) {
    span = clipped_start = clipped_end = 0;
    int64_t bases = 0;
    uint32_t before = 0;
    bool is_aligned = false;
    for (int32_t k = 0; k < elements; k++) {
        const uint32_t element = load<uint32_t>(cigar + 4 * k);
        const int64_t size = element >> 4;
        const uint32_t operation = uint32_t(1) << (element & 0xf);
        if (!(operation & (kOfReference | kOfRead | kHardClip)) || size == 0) return false;
        span += operation & kOfReference ? size : 0;
        bases += operation & kOfRead ? size : 0;
        if (operation & kClips) {
            const bool is_placed = operation == kSoftClip
                                       ? before != kSoftClip
                                       : k == 0 || (k == elements - 1 && is_aligned);
            if (!is_placed) return false;
            (is_aligned ? clipped_end : clipped_start) += size;
        } else {
            if (clipped_end > 0 || (operation & kIndels && before & kIndels)) return false;
            is_aligned = true;
        }
        before = operation;
    }
    // The long CIGAR of a read with more than 65,535 elements is in a tag.
    const bool is_in_tag = elements == 2 && before == kSkip && clipped_start > 0 &&
                           (length == 0 || clipped_start == length);
    return is_aligned && !is_in_tag && span <= kMaxSequence &&
           (length == 0 || bases == 0 || bases == length);
}

uint16_t Record::bin() const {
    if (position == 0) return 0;
    const int64_t first = position - 1;
    // A read without an end counts as one base.
    const int64_t end_of_alignment = has(kUnmapped) ? 0 : position + span - 1;
    const int64_t last = end_of_alignment <= 0 ? first : end_of_alignment - 1;
    // The smallest bin that has both. Those of a level are numbered from (8^level - 1) / 7 on.
    int64_t bins = 4681;
    for (int shift = 14; shift < 29; shift += 3, bins = (bins - 1) >> 3)
        if (first >> shift == last >> shift) return uint16_t(bins + (first >> shift));
    return 0;
}

}  // namespace gkl_shim::records
