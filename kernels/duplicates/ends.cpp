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

// Mixes the bits of the hash of a key.
int32_t mixed(uint64_t hash) {
    hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15;
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
    return int32_t(hash >> 32);
}

// Continues Java's hash of a text.
uint32_t hash_text(uint32_t hash, const uint8_t *text, int64_t length) {
    for (int64_t k = 0; k < length; k++) hash = 31 * hash + text[k];
    return hash;
}

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
bool hash_end_barcode(const Tag *tag, int32_t *hash) {
    *hash = 0;
    if (tag == nullptr) return true;
    *hash = int32_t(hash_text(0, tag->value(), int64_t(tag->text().size())));
    return tag->is_ascii();
}

// Writes the hashes of barcodes. Returns false if htsjdk has to look at the record.
bool write_barcodes(const Batch &batch, bool is_duplex, gkl_shim_duplicates_row *row) {
    const bool is_second = batch.record.has(kPaired) && !batch.record.has(kFirst);
    const Tag *const barcode = batch.named_tag(GKL_SHIM_DUPLICATES_TAG_BARCODE);
    uint32_t of_both = 0;
    if (barcode != nullptr && !hash_barcode(batch, is_duplex, *barcode, &of_both)) return false;
    // Java's hash of an array with the barcode alone.
    row->barcode = int32_t(31 + of_both);
    return is_second ? hash_end_barcode(batch.named_tag(GKL_SHIM_DUPLICATES_TAG_SECOND),
                                        &row->second_barcode)
                     : hash_end_barcode(batch.named_tag(GKL_SHIM_DUPLICATES_TAG_FIRST),
                                        &row->first_barcode);
}

// Writes what the row of a primary alignment has beside the barcodes. Returns the kind.
int32_t write_end(const Record &record, const gkl_shim_duplicates_run &run, const Text &group,
                  gkl_shim_duplicates_row *row) {
    row->group = group.group;
    // A read that is clipped this much is left to Picard.
    row->end = int32_t(std::clamp(record.five_prime_end(), int64_t(INT32_MIN), int64_t(INT32_MAX)));
    row->score = score(record, run.has(GKL_SHIM_DUPLICATES_SCORES_QUALITIES));
    uint32_t fields[3] = {0, 0, 0};
    row->is_located = run.has(GKL_SHIM_DUPLICATES_READS_NAMES) &&
                      read_fields(record.name, record.name_length, fields);
    row->tile = int16_t(fields[0]);
    row->x = int32_t(fields[1]);
    row->y = int32_t(fields[2]);
    if (!record.has_mapped_mate()) return GKL_SHIM_DUPLICATES_UNPAIRED;
    const uint64_t before = run.has(GKL_SHIM_DUPLICATES_PAIRS_IN_GROUPS) ? group.hash : 0;
    row->key_hash = mixed(hash_key(before, record.name_text()));
    return GKL_SHIM_DUPLICATES_PAIRED;
}

// Throws what Batch() throws.
void read_ends(const gkl_shim_duplicates_run &run, const gkl_shim_duplicates_records &records,
               gkl_shim_duplicates_row *rows) {
    Batch batch(run, records);
    const Record &record = batch.record;
    const bool is_duplex = run.has(GKL_SHIM_DUPLICATES_IS_DUPLEX);
    const bool has_barcodes = run.has_barcodes();
    std::string_view program;
    int32_t program_file = -1;
    for (int32_t k = 0; k < records.count; k++) {
        gkl_shim_duplicates_row &row = rows[k];
        row = {};
        const bool is_usual = batch.read(k);
        row.kind = is_usual ? GKL_SHIM_DUPLICATES_SKIPPED : GKL_SHIM_DUPLICATES_UNUSUAL;
        row.flags = record.flags;
        row.reference = record.reference;
        row.position = int32_t(uint32_t(record.position));
        row.mate_reference = record.mate_reference;
        if (!is_usual) continue;
        row.name_length = record.name_length;
        row.program_start = -1;
        if (batch.program_tag != nullptr) {
            const std::string_view text = batch.program_tag->text();
            if (text != program || batch.file(k) != program_file) program = text;
            program_file = batch.file(k);
            row.program_start =
                int32_t(program.data() - reinterpret_cast<const char *>(records.bytes));
            row.program_length = int32_t(program.size());
        }
        if (!record.has(kUnmapped) && record.is_primary())
            row.kind = has_barcodes && !write_barcodes(batch, is_duplex, &row)
                           ? int32_t(GKL_SHIM_DUPLICATES_UNUSUAL)
                           : write_end(record, run, *batch.group, &row);
    }
}

}  // namespace
}  // namespace gkl_shim::duplicates

extern "C" gkl_shim_status gkl_shim_duplicates_read_ends(const gkl_shim_duplicates_run *run,
                                                         const gkl_shim_duplicates_records *records,
                                                         gkl_shim_duplicates_row *rows) {
    return gkl_shim::guarded([&] { gkl_shim::duplicates::read_ends(*run, *records, rows); });
}

extern "C" int32_t gkl_shim_duplicates_key_hash(const uint8_t *key, int64_t length) {
    using namespace gkl_shim::duplicates;
    return mixed(hash_key(0, {reinterpret_cast<const char *>(key), size_t(length)}));
}
