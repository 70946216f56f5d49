// What duplicate marking needs of each record.
#include <string.h>

#include <algorithm>

#include "common/error.h"
#include "duplicates/batch.h"

namespace gkl_shim::duplicates {
namespace {

constexpr int8_t kMinQuality = 15;
constexpr int32_t kMaxScore = INT16_MAX / 2;
// How many qualities a sum of 16 bits may have.
constexpr int32_t kSummed = 256;
static_assert(kSummed * INT8_MAX <= UINT16_MAX, "no sum overflows");

// The sum of the qualities from kMinQuality to 127. Compilers make vectors of the inner loop, of
// twice as many numbers if they have 16 bits.
uint32_t sum_of(const uint8_t *qualities, int32_t length) {
    uint32_t sum = 0;
    for (int32_t begin = 0; begin < length; begin += kSummed) {
        const int32_t end = begin + std::min(kSummed, length - begin);
        uint16_t part = 0;
        for (int32_t k = begin; k < end; k++)
            part = uint16_t(part + (int8_t(qualities[k]) >= kMinQuality ? qualities[k] : 0));
        sum += part;
    }
    return sum;
}

// Picard's score of a read: it adds 32-bit integers, and qualities above 127 are negative there.
int16_t score(const Record &record, bool scores_qualities) {
    int32_t score = int32_t(record.span);
    if (scores_qualities) {
        score = record.has_qualities() ? int32_t(sum_of(record.qualities, record.length)) : 0;
    }
    score = std::min(score, kMaxScore);
    return int16_t(record.has(kQcFail) ? score + INT16_MIN / 2 : score);
}

// Reads a number, which ends before the first character that is no digit. Returns whether there is
// one. Like Java's, it wraps around.
bool read_number(const uint8_t *from, const uint8_t *to, uint32_t *number) {
    const bool is_negative = from < to && *from == '-';
    const uint8_t *const first = is_negative ? from + 1 : from;
    const uint8_t *at = first;
    uint32_t value = 0;
    for (; at < to && *at >= '0' && *at <= '9'; at++) value = 10 * value + (*at - '0');
    *number = is_negative ? 0 - value : value;
    return at > first;
}

// Reads the last three numbers of a name of 5 or 7 fields, which colons separate: the tile, x and
// y. Returns whether there are three.
bool read_fields(const uint8_t *name, int32_t length, uint32_t fields[3]) {
    int32_t count = 0;
    const uint8_t *end = name + length;
    for (const uint8_t *at = end; at-- > name;) {
        if (*at != ':' && at > name) continue;
        count++;
        if (count > 3) continue;
        if (!read_number(at > name ? at + 1 : name, end, &fields[3 - count])) return false;
        end = at;
    }
    return count == 5 || count == 7;
}

// The hash of a read group and a name: a polynomial of the bytes, mixed. Partitions.java and
// MateKey.java have the same one.
uint64_t hash_of(uint64_t before, const uint8_t *name, int32_t length) {
    constexpr uint64_t kFactor = 0x100000001b3;
    uint64_t hash = before;
    for (int32_t k = 0; k < length; k++) hash = hash * kFactor + uint64_t(int64_t(int8_t(name[k])));
    hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15;
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
    return hash ^ hash >> 32;
}

// Puts two numbers of 32 bits into one.
int64_t packed(int32_t high, uint32_t low) { return int64_t(uint64_t(uint32_t(high)) << 32 | low); }

// Finds Picard's hash of a barcode of both mates. Returns false if Picard may not accept it.
bool hash_barcode(const Batch &batch, bool is_duplex, const Tag &tag, uint32_t *hash) {
    if (tag.type() != 'Z') return false;
    const uint8_t *const text = tag.value(), *const end = tag.end - 1;
    for (const uint8_t *at = text; at < end; at++)
        if (memchr("ACGTNacgtn-", *at, 11) == nullptr) return false;
    *hash = hash_text(0, text, end - text);
    if (!is_duplex) return true;
    // Java's split: two parts with a hyphen between them. Hyphens at the end do not count.
    const uint8_t *second_end = end;
    while (second_end > text && second_end[-1] == '-') second_end--;
    const uint8_t *const hyphen = std::find(text, second_end, '-');
    if (hyphen == second_end || std::find(hyphen + 1, second_end, '-') != second_end) return false;
    const Strand strand = batch.strand();
    if (strand == Strand::kBottom) {
        *hash = hash_text(0, hyphen + 1, second_end - hyphen - 1);
        *hash = hash_text(31 * *hash + '-', text, hyphen - text);
    }
    return strand != Strand::kUnusual;
}

// Finds Java's hash of a text, 0 if there is none. Returns false if htsjdk may read it otherwise.
bool hash_end_barcode(const Tag *tag, uint32_t *hash) {
    *hash = 0;
    if (tag == nullptr) return true;
    const uint8_t *const text = tag->value(), *const end = tag->end - 1;
    if (tag->type() != 'Z' || std::any_of(text, end, [](uint8_t letter) { return letter > 127; }))
        return false;
    *hash = hash_text(0, text, end - text);
    return true;
}

// Writes the hashes of barcodes. Returns false if htsjdk has to look at the record.
bool write_barcodes(const Batch &batch, bool is_duplex, int64_t *row) {
    const bool is_second = batch.record.has(kPaired) && !batch.record.has(kFirst);
    const Tag *const barcode = batch.named_tag(GKL_SHIM_DUPLICATES_TAG_BARCODE);
    uint32_t of_both = 0, of_end;
    if ((barcode != nullptr && !hash_barcode(batch, is_duplex, *barcode, &of_both)) ||
        !hash_end_barcode(batch.named_tag(is_second ? GKL_SHIM_DUPLICATES_TAG_SECOND
                                                    : GKL_SHIM_DUPLICATES_TAG_FIRST),
                          &of_end))
        return false;
    // Java's hash of an array with the barcode alone.
    row[GKL_SHIM_DUPLICATES_BARCODE] = int32_t(31 + of_both);
    row[GKL_SHIM_DUPLICATES_END_BARCODES] =
        is_second ? packed(0, of_end) : packed(int32_t(of_end), 0);
    return true;
}

// Writes the row of a primary alignment.
void write_row(const Record &record, const gkl_shim_duplicates_header &header, int32_t group,
               int64_t place, int64_t *row) {
    const bool is_paired = record.has_mapped_mate();
    row[GKL_SHIM_DUPLICATES_KIND] |=
        is_paired ? GKL_SHIM_DUPLICATES_PAIRED : GKL_SHIM_DUPLICATES_UNPAIRED;
    row[GKL_SHIM_DUPLICATES_PLACE] = 2 * place + record.has(kReverse);
    uint32_t fields[3] = {0, 0, 0};
    if (header.options & GKL_SHIM_DUPLICATES_READS_NAMES &&
        read_fields(record.name, record.name_length, fields))
        row[GKL_SHIM_DUPLICATES_KIND] |= GKL_SHIM_DUPLICATES_LOCATED;
    const bool is_short = header.options & GKL_SHIM_DUPLICATES_HAS_SHORT_PLACES;
    const auto coordinate = [&](uint32_t field) {
        return is_short ? int16_t(field) : int32_t(field);
    };
    row[GKL_SHIM_DUPLICATES_LOCATION] =
        packed(coordinate(fields[1]), uint32_t(coordinate(fields[2])));
    const uint16_t points =
        uint16_t(score(record, header.options & GKL_SHIM_DUPLICATES_SCORES_QUALITIES));
    row[GKL_SHIM_DUPLICATES_REST] = packed(group, uint32_t(points) << 16 | uint16_t(fields[0]));
    row[GKL_SHIM_DUPLICATES_HASH] = is_paired
                                        ? int64_t(hash_of(uint64_t(header.group_hashes[group]),
                                                          record.name, record.name_length))
                                        : 0;
}

// Throws what is thrown in Batch::read().
void read_ends(const gkl_shim_duplicates_records &records, const gkl_shim_duplicates_header &header,
               const gkl_shim_duplicates_texts &texts, int32_t from, int64_t *rows,
               gkl_shim_duplicates_stop *stop) {
    Batch batch(records, header, texts, stop);
    const Record &record = batch.record;
    const bool is_duplex = header.options & GKL_SHIM_DUPLICATES_IS_DUPLEX;
    const bool has_barcodes =
        std::any_of(header.tags, header.tags + GKL_SHIM_DUPLICATES_TAG_MOLECULE,
                    [](uint16_t name) { return name != 0; });
    for (int32_t k = from; k < records.count; k++) {
        int64_t *const row = rows + int64_t(k) * GKL_SHIM_DUPLICATES_ROW;
        if (!batch.read(k)) return;
        const bool reads_program =
            batch.is_usual && header.options & GKL_SHIM_DUPLICATES_READS_PROGRAMS;
        row[GKL_SHIM_DUPLICATES_KIND] =
            packed(reads_program ? batch.program[GKL_SHIM_DUPLICATES_TEXT_VALUE] : -1, 0);
        if (!batch.is_usual) {
            row[GKL_SHIM_DUPLICATES_KIND] |= GKL_SHIM_DUPLICATES_UNUSUAL;
        } else if (record.has(kUnmapped)) {
            if (record.reference == -1 && !(header.options & GKL_SHIM_DUPLICATES_IS_GROUPED))
                return batch.stop(GKL_SHIM_DUPLICATES_UNPLACED, k);
        } else if (record.is_primary()) {
            const int64_t end = record.five_prime_end();
            if (end < -int64_t(header.margin) ||
                end >= header.lengths[record.reference] + header.margin)
                return batch.stop(GKL_SHIM_DUPLICATES_OUTSIDE, k);
            if (has_barcodes && !write_barcodes(batch, is_duplex, row))
                row[GKL_SHIM_DUPLICATES_KIND] |= GKL_SHIM_DUPLICATES_UNUSUAL;
            else
                write_row(record, header, batch.group[GKL_SHIM_DUPLICATES_TEXT_VALUE],
                          header.offsets[record.reference] + end, row);
        }
    }
}

}  // namespace
}  // namespace gkl_shim::duplicates

extern "C" gkl_shim_status gkl_shim_duplicates_read_ends(const gkl_shim_duplicates_records *records,
                                                         const gkl_shim_duplicates_header *header,
                                                         const gkl_shim_duplicates_texts *texts,
                                                         int32_t from, int64_t *rows,
                                                         gkl_shim_duplicates_stop *stop) {
    return gkl_shim::guarded(
        [&] { gkl_shim::duplicates::read_ends(*records, *header, *texts, from, rows, stop); });
}
