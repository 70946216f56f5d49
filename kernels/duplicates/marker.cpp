// Marks records, and writes their tags as htsjdk does once a tag was set.
#include <string.h>

#include "common/error.h"
#include "duplicates/batch.h"

namespace gkl_shim {
namespace duplicates {
namespace {

// What a record may get longer by, beside the new texts: the tag DT, and the tag PG.
constexpr int64_t kTypeTag = kTagHeader + 3, kTextTag = kTagHeader + 1;

class Marker {
   public:
    Marker(const gkl_shim_duplicates_header &header, const gkl_shim_duplicates_marks &marks,
           const gkl_shim_duplicates_output &output, Batch *batch)
        : header_(header), marks_(marks), output_(output), batch_(*batch) {}

    // Marks the record that was read. Returns where its marked bytes end, or the size that the
    // output must have, as a negative number.
    int64_t mark(int32_t number, int64_t start) {
        const int64_t index = marks_.indexes ? marks_.indexes[number] : marks_.first + number;
        const bool is_duplicate = is_set(marks_.duplicates, index);
        const bool is_optical = is_duplicate && marks_.optical && is_set(marks_.optical, index);
        if (!(is_duplicate && has(GKL_SHIM_DUPLICATES_REMOVES)) &&
            !(is_optical && has(GKL_SHIM_DUPLICATES_REMOVES_OPTICAL))) {
            const int64_t most = start + (batch_.record.end - batch_.record.start) + kTypeTag +
                                 length_of(batch_.group) + kTextTag + length_of(batch_.program);
            if (most > output_.size) return -most;
            start = write(output_.bytes + start, is_duplicate, type(is_duplicate, is_optical)) -
                    output_.bytes;
        }
        count(is_duplicate);
        return start;
    }

   private:
    bool has(int32_t option) const { return (header_.options & option) != 0; }

    bool is_set(const int64_t *bits, int64_t index) const {
        const int64_t bit = index - marks_.base;
        if (bit < 0 || bit >> 6 >= marks_.words) throw Failed{invalid("a record has no mark")};
        return uint64_t(bits[bit >> 6]) >> (bit & 63) & 1;
    }

    // The length of the text that takes the place of another one, 0 if there is none.
    static int64_t length_of(const int32_t *row) {
        const int32_t length = row[GKL_SHIM_DUPLICATES_NEW_LENGTH];
        return length < 0 ? 0 : length;
    }

    // The value of the tag DT, or null.
    const char *type(bool is_duplicate, bool is_optical) const {
        if (!is_duplicate || !has(GKL_SHIM_DUPLICATES_TAGS)) return nullptr;
        if (is_optical) return "SQ";
        return has(GKL_SHIM_DUPLICATES_TAGS_ALL) ? "LB" : nullptr;
    }

    void count(bool is_duplicate) {
        const int32_t group = batch_.group[GKL_SHIM_DUPLICATES_TEXT_VALUE];
        int64_t *const counts = output_.counts + int64_t(group) * GKL_SHIM_DUPLICATES_COUNTS;
        const bool is_paired = batch_.record.has_mapped_mate();
        if (batch_.record.has(kUnmapped)) {
            counts[GKL_SHIM_DUPLICATES_COUNT_UNMAPPED]++;
        } else if (!batch_.record.is_primary()) {
            counts[GKL_SHIM_DUPLICATES_COUNT_NOT_PRIMARY]++;
        } else if (is_paired) {
            counts[GKL_SHIM_DUPLICATES_COUNT_PAIRED]++;
            counts[GKL_SHIM_DUPLICATES_COUNT_PAIRED_DUPLICATES] += is_duplicate;
        } else {
            counts[GKL_SHIM_DUPLICATES_COUNT_UNPAIRED]++;
            counts[GKL_SHIM_DUPLICATES_COUNT_UNPAIRED_DUPLICATES] += is_duplicate;
        }
    }

    // Writes the record with new flags and tags. If htsjdk would set no tag, all else stays as it
    // is. Returns where it ends.
    uint8_t *write(uint8_t *to, bool is_duplicate, const char *type) {
        const Record &record = batch_.record;
        const bool sets_tag =
            has(GKL_SHIM_DUPLICATES_CLEARS_TYPE) || has(GKL_SHIM_DUPLICATES_SETS_PROGRAM) ||
            type != nullptr ||
            (has(GKL_SHIM_DUPLICATES_RENAMES_GROUPS) && batch_.tags.find(kReadGroup) != nullptr) ||
            (has(GKL_SHIM_DUPLICATES_RENAMES_PROGRAMS) && batch_.tags.find(kProgram) != nullptr);
        const uint8_t *const copied_to = sets_tag ? record.tags : record.end;
        memcpy(to, record.start, size_t(copied_to - record.start));
        store(to + kBin, record.bin());
        store(to + kFlags,
              uint16_t(is_duplicate ? record.flags | kDuplicate : record.flags & ~kDuplicate));
        uint8_t *end = to + (copied_to - record.start);
        if (sets_tag) {
            tidy(end);
            end = write_tags(end, type);
            store(to, int32_t(end - to - 4));
        }
        return end;
    }

    // Writes what has no meaning as htsjdk does: half a byte of bases, and missing qualities.
    void tidy(uint8_t *end_of_qualities) const {
        const int32_t length = batch_.record.length;
        uint8_t *const qualities = end_of_qualities - length;
        if (length % 2 == 1) qualities[-1] &= 0xf0;
        if (length > 0 && qualities[0] == 0xff) memset(qualities, 0xff, size_t(length));
    }

    uint8_t *write_tags(uint8_t *to, const char *type) const {
        const int32_t *const group = batch_.group, *const program = batch_.program;
        const bool renames_group = group[GKL_SHIM_DUPLICATES_NEW_LENGTH] >= 0;
        const bool keeps_program =
            !has(GKL_SHIM_DUPLICATES_SETS_PROGRAM) && !has(GKL_SHIM_DUPLICATES_RENAMES_PROGRAMS);
        const bool keeps_type = type == nullptr && !has(GKL_SHIM_DUPLICATES_CLEARS_TYPE);
        // What is still to be written, before the first tag that comes after it.
        bool is_program_open = program[GKL_SHIM_DUPLICATES_NEW_LENGTH] >= 0;
        bool is_type_open = type != nullptr;
        const auto write_before = [&](int32_t name) {
            if (is_program_open && name >= kProgram) {
                to = write_text(to, kProgram, batch_.texts.replacement(program),
                                program[GKL_SHIM_DUPLICATES_NEW_LENGTH]);
                is_program_open = false;
            }
            if (is_type_open && name >= kDuplicateType) {
                to = write_text(to, kDuplicateType, reinterpret_cast<const uint8_t *>(type), 2);
                is_type_open = false;
            }
        };
        for (const Tag &tag : batch_.tags) {
            write_before(tag.name());
            if (tag.name() == kReadGroup && renames_group)
                to = write_text(to, kReadGroup, batch_.texts.replacement(group),
                                group[GKL_SHIM_DUPLICATES_NEW_LENGTH]);
            else if ((tag.name() != kDuplicateType || keeps_type) &&
                     (tag.name() != kProgram || keeps_program))
                to = write_tag(to, tag);
        }
        write_before(INT32_MAX);
        return to;
    }

    const gkl_shim_duplicates_header &header_;
    const gkl_shim_duplicates_marks &marks_;
    const gkl_shim_duplicates_output &output_;
    Batch &batch_;
};

}  // namespace

void mark(const gkl_shim_duplicates_records &records, const gkl_shim_duplicates_header &header,
          const gkl_shim_duplicates_texts &texts, const gkl_shim_duplicates_marks &marks,
          int32_t from, const gkl_shim_duplicates_output &output, gkl_shim_duplicates_stop *stop) {
    Batch batch(records, header, texts, stop);
    Marker marker(header, marks, output, &batch);
    int64_t end = from == 0 ? 0 : output.ends[from - 1];
    for (int32_t k = from; k < records.count; k++) {
        if (!batch.read(k)) return;
        output.unusual[k] = !batch.is_usual;
        if (batch.is_usual) {
            const int64_t next = marker.mark(k, end);
            if (next < 0) {
                if (-next > INT32_MAX) throw Failed{invalid("more than 2 GiB of marked records")};
                stop->needed = int32_t(-next);
                return batch.stop(GKL_SHIM_DUPLICATES_NO_ROOM, k);
            }
            end = next;
        }
        output.ends[k] = int32_t(end);
    }
}

}  // namespace duplicates
}  // namespace gkl_shim
