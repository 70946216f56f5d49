// Marks records, and writes their tags as htsjdk does once a tag was set.
#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "common/error.h"
#include "duplicates/batch.h"

namespace gkl_shim::duplicates {
namespace {

// A tag that is set.
struct NewTag {
    uint16_t name;
    const uint8_t *text;
    int64_t length;
    // What the record gets longer by.
    int64_t size() const { return kTagHeader + length + 1; }
};

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
            find_new_tags(type(is_duplicate, is_optical));
            int64_t most = start + (batch_.record.end - batch_.record.start) +
                           std::max(0, batch_.group[GKL_SHIM_DUPLICATES_NEW_LENGTH]);
            for (int k = 0; k < new_count_; k++) most += new_tags_[k].size();
            if (most > output_.size) return -most;
            start = write(output_.bytes + start, is_duplicate) - output_.bytes;
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

    // The value of the tag DT, or null.
    const char *type(bool is_duplicate, bool is_optical) const {
        if (!is_duplicate || !has(GKL_SHIM_DUPLICATES_TAGS)) return nullptr;
        if (is_optical) return "SQ";
        return has(GKL_SHIM_DUPLICATES_TAGS_ALL) ? "LB" : nullptr;
    }

    // Finds the tags that are set, in the order in which they are written.
    void find_new_tags(const char *type) {
        new_count_ = 0;
        const int32_t *const program = batch_.program;
        if (program[GKL_SHIM_DUPLICATES_NEW_LENGTH] >= 0)
            add_tag(kProgram, batch_.texts.replacement(program),
                    program[GKL_SHIM_DUPLICATES_NEW_LENGTH]);
        if (type != nullptr) add_tag(kDuplicateType, reinterpret_cast<const uint8_t *>(type), 2);
        if (molecule_tag() != 0) {
            find_molecule();
            add_tag(molecule_tag(), molecule_.data(), int64_t(molecule_.size()));
        }
    }

    void add_tag(uint16_t name, const uint8_t *text, int64_t length) {
        int place = new_count_++;
        for (; place > 0 && new_tags_[place - 1].name > name; place--)
            new_tags_[place] = new_tags_[place - 1];
        new_tags_[place] = {name, text, length};
    }

    uint16_t molecule_tag() const { return header_.tags[GKL_SHIM_DUPLICATES_TAG_MOLECULE]; }

    // Finds Picard's name of the molecule: the sequence, the position of the read or of its mate,
    // whichever is reversed, and the strand.
    void find_molecule() {
        const Record &record = batch_.record;
        if (record.has(kUnmapped)) {
            molecule_.assign({'n', 'u', 'l', 'l'});
        } else {
            const int64_t *const name = header_.names + record.reference;
            molecule_.assign(batch_.texts.letters() + name[0], batch_.texts.letters() + name[1]);
        }
        char rest[32];
        const int64_t position = record.has(kReverse) ? record.position : record.mate_position;
        const Strand strand =
            has(GKL_SHIM_DUPLICATES_IS_DUPLEX) ? batch_.strand() : Strand::kUnknown;
        const int length = snprintf(rest, sizeof rest, ":%lld/%s", static_cast<long long>(position),
                                    strand == Strand::kTop      ? "/A"
                                    : strand == Strand::kBottom ? "/B"
                                                                : "");
        molecule_.insert(molecule_.end(), rest, rest + length);
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
    uint8_t *write(uint8_t *to, bool is_duplicate) {
        const Record &record = batch_.record;
        const bool sets_tag =
            has(GKL_SHIM_DUPLICATES_CLEARS_TYPE) || has(GKL_SHIM_DUPLICATES_SETS_PROGRAM) ||
            new_count_ > 0 ||
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
        const int32_t *const group = batch_.group;
        const NewTag *next = new_tags_, *const new_end = new_tags_ + new_count_;
        const auto write_before = [&](int32_t name) {
            for (; next != new_end && next->name < name; next++)
                to = write_text(to, next->name, next->text, next->length);
        };
        for (const Tag &tag : batch_.tags) {
            write_before(tag.name());
            // The new value is written before the next tag.
            const bool is_set = next != new_end && next->name == tag.name();
            if (tag.name() == kReadGroup && group[GKL_SHIM_DUPLICATES_NEW_LENGTH] >= 0)
                to = write_text(to, kReadGroup, batch_.texts.replacement(group),
                                group[GKL_SHIM_DUPLICATES_NEW_LENGTH]);
            else if (!is_set && !is_cleared(tag.name()))
                to = write_tag(to, tag);
        }
        write_before(INT32_MAX);
        return to;
    }

    // Whether the old value of a tag is left out even if it gets no new one.
    bool is_cleared(uint16_t name) const {
        if (name == kDuplicateType) return has(GKL_SHIM_DUPLICATES_CLEARS_TYPE);
        return name == kProgram &&
               has(GKL_SHIM_DUPLICATES_SETS_PROGRAM | GKL_SHIM_DUPLICATES_RENAMES_PROGRAMS);
    }

    const gkl_shim_duplicates_header &header_;
    const gkl_shim_duplicates_marks &marks_;
    const gkl_shim_duplicates_output &output_;
    Batch &batch_;
    NewTag new_tags_[3];
    int new_count_ = 0;
    std::vector<uint8_t> molecule_;
};

// Throws what is thrown in Batch::read().
void mark(const gkl_shim_duplicates_records &records, const gkl_shim_duplicates_header &header,
          const gkl_shim_duplicates_texts &texts, const gkl_shim_duplicates_marks &marks,
          int32_t from, const gkl_shim_duplicates_output &output, gkl_shim_duplicates_stop *stop) {
    Batch batch(records, header, texts, stop);
    Marker marker(header, marks, output, &batch);
    const bool needs_strand = header.options & GKL_SHIM_DUPLICATES_IS_DUPLEX &&
                              header.tags[GKL_SHIM_DUPLICATES_TAG_MOLECULE] != 0;
    int64_t end = from == 0 ? 0 : output.ends[from - 1];
    for (int32_t k = from; k < records.count; k++) {
        if (!batch.read(k)) return;
        batch.is_usual = batch.is_usual && !(needs_strand && batch.strand() == Strand::kUnusual);
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

}  // namespace
}  // namespace gkl_shim::duplicates

extern "C" gkl_shim_status gkl_shim_duplicates_mark(
    const gkl_shim_duplicates_records *records, const gkl_shim_duplicates_header *header,
    const gkl_shim_duplicates_texts *texts, const gkl_shim_duplicates_marks *marks, int32_t from,
    gkl_shim_duplicates_output *output, gkl_shim_duplicates_stop *stop) {
    return gkl_shim::guarded([&] {
        gkl_shim::duplicates::mark(*records, *header, *texts, *marks, from, *output, stop);
    });
}
