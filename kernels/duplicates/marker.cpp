// Marks records, and writes their tags as htsjdk does once a tag was set.
#include <string.h>

#include <algorithm>

#include "common/error.h"
#include "duplicates/batch.h"

namespace gkl_shim::duplicates {
namespace {

// A tag that is set.
struct NewTag {
    uint16_t name;
    std::string_view text;
};

class Marker {
   public:
    Marker(const gkl_shim_duplicates_run &run, const gkl_shim_duplicates_output &output,
           const Batch &batch)
        : run_(run), output_(output), batch_(batch) {}

    // Marks and counts the record that was read. Returns where its marked bytes end. Throws Failed
    // if there is no room for them.
    int64_t mark(uint8_t marks, int64_t start) {
        const bool is_duplicate = marks & GKL_SHIM_DUPLICATES_IS_DUPLICATE;
        const bool is_optical = marks & GKL_SHIM_DUPLICATES_IS_OPTICAL;
        count(is_duplicate);
        if ((is_duplicate && run_.has(GKL_SHIM_DUPLICATES_REMOVES)) ||
            (is_optical && run_.has(GKL_SHIM_DUPLICATES_REMOVES_OPTICAL)))
            return start;
        const int64_t most = batch_.record.end - batch_.record.start + run_.growth;
        if (most > output_.size - start || output_.size > INT32_MAX)
            throw Failed{invalid("no room for the marked records")};
        find_new_tags(type(is_duplicate, is_optical));
        return write(output_.bytes + start, is_duplicate) - output_.bytes;
    }

   private:
    // The value of the tag DT, or null.
    const char *type(bool is_duplicate, bool is_optical) const {
        if (!is_duplicate || !run_.has(GKL_SHIM_DUPLICATES_TAGS)) return nullptr;
        if (is_optical) return "SQ";
        return run_.has(GKL_SHIM_DUPLICATES_TAGS_ALL) ? "LB" : nullptr;
    }

    // Finds the tags that are set, in the order in which they are written.
    void find_new_tags(const char *type) {
        new_count_ = 0;
        const Text *const program = batch_.program();
        if (program != nullptr && program->new_text) add_tag(kProgram, *program->new_text);
        if (type != nullptr) add_tag(kDuplicateType, type);
        if (run_.molecule_tag() != 0) {
            find_molecule();
            add_tag(run_.molecule_tag(), molecule_);
        }
    }

    void add_tag(uint16_t name, std::string_view text) {
        int place = new_count_++;
        for (; place > 0 && new_tags_[place - 1].name > name; place--)
            new_tags_[place] = new_tags_[place - 1];
        new_tags_[place] = {name, text};
    }

    // Finds Picard's name of the molecule: the sequence, the position of the read or of its mate,
    // whichever is reversed, and the strand.
    void find_molecule() {
        const Record &record = batch_.record;
        molecule_ = record.has(kUnmapped) ? "null" : run_.names[size_t(record.reference)];
        const Strand strand =
            run_.has(GKL_SHIM_DUPLICATES_IS_DUPLEX) ? batch_.strand() : Strand::kUnknown;
        molecule_ += ':';
        molecule_ += std::to_string(record.has(kReverse) ? record.position : record.mate_position);
        molecule_ += strand == Strand::kTop ? "//A" : strand == Strand::kBottom ? "//B" : "/";
    }

    void count(bool is_duplicate) {
        int64_t *const counts =
            output_.counts + int64_t(batch_.group->group) * GKL_SHIM_DUPLICATES_COUNTS;
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
    uint8_t *write(uint8_t *to, bool is_duplicate) {
        const Record &record = batch_.record;
        const bool sets_tag =
            run_.has(GKL_SHIM_DUPLICATES_CLEARS_TYPE | GKL_SHIM_DUPLICATES_SETS_PROGRAM) ||
            new_count_ > 0 ||
            (run_.has(GKL_SHIM_DUPLICATES_RENAMES_GROUPS) &&
             batch_.tags.find(kReadGroup) != nullptr) ||
            (run_.has(GKL_SHIM_DUPLICATES_RENAMES_PROGRAMS) && batch_.program_tag != nullptr);
        const uint8_t *const copied_to = sets_tag ? record.tags : record.end;
        memcpy(to, record.start, size_t(copied_to - record.start));
        store(to + kBin, record.bin());
        store(to + kFlags,
              uint16_t(is_duplicate ? record.flags | kDuplicate : record.flags & ~kDuplicate));
        uint8_t *end = to + (copied_to - record.start);
        if (sets_tag) {
            tidy(end);
            end = write_tags(end);
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

    uint8_t *write_tags(uint8_t *to) const {
        const std::optional<std::string> &new_group = batch_.group->new_text;
        const NewTag *next = new_tags_, *const new_end = new_tags_ + new_count_;
        const auto write_before = [&](int32_t name) {
            for (; next != new_end && next->name < name; next++)
                to = write_text(to, next->name, next->text);
        };
        for (const Tag &tag : batch_.tags) {
            write_before(tag.name());
            // The new value is written before the next tag.
            const bool is_set = next != new_end && next->name == tag.name();
            if (tag.name() == kReadGroup && new_group)
                to = write_text(to, kReadGroup, *new_group);
            else if (!is_set && !is_cleared(tag.name()))
                to = write_tag(to, tag);
        }
        write_before(INT32_MAX);
        return to;
    }

    // Whether the old value of a tag is left out even if it gets no new one.
    bool is_cleared(uint16_t name) const {
        if (name == kDuplicateType) return run_.has(GKL_SHIM_DUPLICATES_CLEARS_TYPE);
        return name == kProgram &&
               run_.has(GKL_SHIM_DUPLICATES_SETS_PROGRAM | GKL_SHIM_DUPLICATES_RENAMES_PROGRAMS);
    }

    const gkl_shim_duplicates_run &run_;
    const gkl_shim_duplicates_output &output_;
    const Batch &batch_;
    NewTag new_tags_[3];
    int new_count_ = 0;
    std::string molecule_;
};

// Throws what Batch() and Marker::mark() throw.
void mark(const gkl_shim_duplicates_run &run, const gkl_shim_duplicates_records &records,
          uint8_t *marks, const gkl_shim_duplicates_output &output) {
    if (output.groups < run.groups) throw Failed{invalid("no counts of all read groups")};
    Batch batch(run, records);
    Marker marker(run, output, batch);
    const bool needs_strand = run.has(GKL_SHIM_DUPLICATES_IS_DUPLEX) && run.molecule_tag() != 0;
    int64_t end = 0;
    for (int32_t k = 0; k < records.count; k++) {
        if (batch.read(k) && !(needs_strand && batch.strand() == Strand::kUnusual))
            end = marker.mark(marks[k], end);
        else
            marks[k] |= GKL_SHIM_DUPLICATES_IS_UNUSUAL;
        output.ends[k] = int32_t(end);
    }
}

}  // namespace
}  // namespace gkl_shim::duplicates

extern "C" gkl_shim_status gkl_shim_duplicates_mark(const gkl_shim_duplicates_run *run,
                                                    const gkl_shim_duplicates_records *records,
                                                    uint8_t *marks,
                                                    const gkl_shim_duplicates_output *output) {
    return gkl_shim::guarded([&] { gkl_shim::duplicates::mark(*run, *records, marks, *output); });
}
