#include "duplicates/batch.h"

#include <string.h>

#include "common/error.h"

namespace gkl_shim {
namespace duplicates {

bool Texts::is_row(const int32_t *row, int32_t text_of, const uint8_t *text, int32_t length) const {
    return row[GKL_SHIM_DUPLICATES_TEXT_OF] == text_of &&
           row[GKL_SHIM_DUPLICATES_TEXT_LENGTH] == length &&
           (length <= 0 || memcmp(texts_.letters + row[GKL_SHIM_DUPLICATES_TEXT_START], text,
                                  size_t(length)) == 0);
}

const int32_t *Texts::find(int32_t text_of, const uint8_t *text, int32_t length) const {
    uint32_t hash = uint32_t(text_of);
    for (int32_t k = 0; k < length; k++) hash = 31 * hash + text[k];
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

}  // namespace duplicates
}  // namespace gkl_shim
