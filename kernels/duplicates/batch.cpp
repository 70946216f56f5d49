#include "duplicates/batch.h"

#include <string.h>

#include "common/error.h"

namespace gkl_shim::duplicates {
namespace {

constexpr uint16_t kMateCigar = tag_name('M', 'C');

// The 5' end of the mate, by its CIGAR as a text. Returns false if the CIGAR is not usual.
bool find_mate_end(const Record &record, const uint8_t *cigar, const uint8_t *to, int64_t *end) {
    int64_t span = 0, clipped_start = 0, clipped_end = 0;
    bool is_aligned = false;
    for (const uint8_t *at = cigar; at < to; at++) {
        int64_t size = 0;
        for (; at < to && *at >= '0' && *at <= '9' && size < INT32_MAX / 16; at++)
            size = 10 * size + (*at - '0');
        if (at == to || size == 0 || size > INT32_MAX / 16) return false;
        if (*at == 'S' || *at == 'H') {
            (is_aligned ? clipped_end : clipped_start) += size;
        } else if (clipped_end == 0 && memchr("MIDN=X", *at, 6) != nullptr) {
            is_aligned = true;
            span += *at == 'I' ? 0 : size;
        } else {
            return false;
        }
    }
    *end = record.has(kMateReverse) ? record.mate_position + span - 1 + clipped_end
                                    : record.mate_position - clipped_start;
    // Picard computes with 32 bits.
    return is_aligned && span + clipped_start + clipped_end < INT32_MAX / 2;
}

}  // namespace

bool Texts::is_row(const int32_t *row, int32_t text_of, const uint8_t *text, int32_t length) const {
    return row[GKL_SHIM_DUPLICATES_TEXT_OF] == text_of &&
           row[GKL_SHIM_DUPLICATES_TEXT_LENGTH] == length &&
           (length <= 0 || memcmp(texts_.letters + row[GKL_SHIM_DUPLICATES_TEXT_START], text,
                                  size_t(length)) == 0);
}

const int32_t *Texts::find(int32_t text_of, const uint8_t *text, int32_t length) const {
    uint32_t hash = hash_text(uint32_t(text_of), text, length);
    for (const uint32_t mask = uint32_t(texts_.slots) - 1;; hash++) {
        const int32_t *row = texts_.rows + int64_t(hash & mask) * GKL_SHIM_DUPLICATES_TEXT_ROW;
        if (row[GKL_SHIM_DUPLICATES_TEXT_OF] < 0) return nullptr;
        if (is_row(row, text_of, text, length)) return row;
    }
}

bool Batch::read(int32_t number) {
    const int64_t start = records_.starts[number], end = records_.starts[number + 1];
    if (start < 0 || end > records_.size || end - start < kFixedSize)
        throw Failed{invalid("record %d is not within the bytes", int(number))};
    is_usual = record.parse(records_.bytes + start, records_.bytes + end, header_.lengths,
                            header_.sequences) &&
               tags.parse(record.tags, record.end);
    if (!is_usual) return true;
    const Tag *const of_group = tags.find(kReadGroup), *const of_program = tags.find(kProgram);
    if ((of_group && of_group->type() != 'Z') || (of_program && of_program->type() != 'Z')) {
        is_usual = false;
        return true;
    }
    if (!find(number, GKL_SHIM_DUPLICATES_RG, of_group, &group) ||
        !find(number, GKL_SHIM_DUPLICATES_PG, of_program, &program))
        return false;
    is_usual = group[GKL_SHIM_DUPLICATES_TEXT_VALUE] >= 0;
    return true;
}

Strand Batch::strand() const {
    if (record.has(kUnmapped)) return Strand::kUnknown;
    if (!record.has(kPaired)) return Strand::kUnusual;
    if (record.has(kMateUnmapped)) return Strand::kUnknown;
    bool is_left = record.reference < record.mate_reference;
    if (record.reference == record.mate_reference) {
        const Tag *const cigar = tags.find(kMateCigar);
        int64_t mate_end;
        if (cigar == nullptr || cigar->type() != 'Z' ||
            !find_mate_end(record, cigar->value(), cigar->end - 1, &mate_end))
            return Strand::kUnusual;
        is_left = record.five_prime_end() <= mate_end;
    }
    return record.has(kFirst) == is_left ? Strand::kTop : Strand::kBottom;
}

bool Batch::find(int32_t number, int32_t kind, const Tag *tag, const int32_t **row) {
    const int32_t text_of = 2 * (records_.files ? records_.files[number] : 0) + kind;
    const uint8_t *const text = tag ? tag->value() : records_.bytes;
    const int32_t length = tag ? int32_t(tag->end - text - 1) : -1;
    *row = texts.find(text_of, text, length);
    if (*row != nullptr) return true;
    stop(GKL_SHIM_DUPLICATES_UNKNOWN_TEXT, number);
    stop_->text_of = text_of;
    stop_->start = int32_t(text - records_.bytes);
    stop_->length = length;
    return false;
}

}  // namespace gkl_shim::duplicates
