// What the functions of the C ABI share: the next record of a batch, its read group and its
// program.
#pragma once

#include "records/record.h"
#include "records/tags.h"
#include "gkl_shim_internal.h"

namespace gkl_shim::duplicates {

using namespace records;

// The known texts.
class Texts {
   public:
    explicit Texts(const gkl_shim_duplicates_texts &texts) : texts_(texts) {}

    // Returns the row of a text, or null if it is not known. A length of -1 stands for no text.
    const int32_t *find(int32_t text_of, const uint8_t *text, int32_t length) const;

    const uint8_t *letters() const { return texts_.letters; }

    // The text that takes the place of one.
    const uint8_t *replacement(const int32_t *row) const {
        return texts_.letters + row[GKL_SHIM_DUPLICATES_NEW_START];
    }

   private:
    bool is_row(const int32_t *row, int32_t text_of, const uint8_t *text, int32_t length) const;

    const gkl_shim_duplicates_texts &texts_;
};

// Continues Java's hash of a text.
inline uint32_t hash_text(uint32_t hash, const uint8_t *text, int64_t length) {
    for (int64_t k = 0; k < length; k++) hash = 31 * hash + text[k];
    return hash;
}

// The strand of a molecule that a pair comes from.
enum class Strand {
    kTop,
    kBottom,
    kUnknown,
    // htsjdk may have to say what is wrong.
    kUnusual,
};

// Reads the records of a batch, one after the other.
class Batch {
   public:
    Batch(const gkl_shim_duplicates_records &records, const gkl_shim_duplicates_header &header,
          const gkl_shim_duplicates_texts &texts, gkl_shim_duplicates_stop *stop)
        : texts(texts), records_(records), header_(header), stop_(stop) {
        *stop = {};
    }

    Record record;
    Tags tags;
    Texts texts;
    bool is_usual = false;
    // The rows of the read group and the program, if the record is usual.
    const int32_t *group = nullptr, *program = nullptr;

    // Reads a record. Returns false, and says so, if it names an unknown text. Throws Failed if the
    // record is not within the bytes.
    bool read(int32_t number);

    // The strand of the molecule: Picard takes it from the mates' 5' ends.
    Strand strand() const;

    // One of GKL_SHIM_DUPLICATES_NAMED_TAGS. Null if the record or the header has none.
    const Tag *named_tag(int32_t number) const {
        return header_.tags[number] == 0 ? nullptr : tags.find(header_.tags[number]);
    }

    // Says that the call stops at a record.
    void stop(int32_t reason, int32_t number) {
        stop_->reason = reason;
        stop_->record = number;
    }

   private:
    // Finds the text of a tag. Returns false if it is unknown.
    bool find(int32_t number, int32_t kind, const Tag *tag, const int32_t **row);

    const gkl_shim_duplicates_records &records_;
    const gkl_shim_duplicates_header &header_;
    gkl_shim_duplicates_stop *const stop_;
};

}  // namespace gkl_shim::duplicates
