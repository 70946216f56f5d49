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

Batch::Batch(const gkl_shim_duplicates_run &run, const gkl_shim_duplicates_records &records)
    : run_(run), records_(records) {
    for (int32_t k = 0; k < records.count; k++) {
        const int64_t start = records.starts[k], end = records.starts[k + 1];
        if (start < 0 || end > records.size || end - start < kFixedSize)
            throw Failed{invalid("record %d is not within the bytes", int(k))};
        if (file(k) < 0 || size_t(file(k)) >= run.files.size())
            throw Failed{invalid("record %d has no file", int(k))};
    }
}

bool Batch::read(int32_t number) {
    if (!record.parse(records_.bytes + records_.starts[number],
                      records_.bytes + records_.starts[number + 1], run_.lengths.data(),
                      int64_t(run_.lengths.size())) ||
        !tags.parse(record.tags, record.end))
        return false;
    const Tag *const group_tag = tags.find(kReadGroup);
    program_tag = tags.find(kProgram);
    if ((group_tag && group_tag->type() != 'Z') || (program_tag && !program_tag->is_ascii()))
        return false;
    file_ = &run_.files[size_t(file(number))];
    group = file_->groups.find(group_tag);
    return group != nullptr;
}

const Text *Batch::program() const {
    const Text *const listed = file_->programs.find(program_tag);
    // When htsjdk renames programs, it removes others. Then the record is one without a program.
    return listed == nullptr && run_.has(GKL_SHIM_DUPLICATES_RENAMES_PROGRAMS)
               ? file_->programs.absent()
               : listed;
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

}  // namespace gkl_shim::duplicates
