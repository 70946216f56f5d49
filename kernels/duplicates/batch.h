// The records of a batch, one after the other, each with its read group and its program.
#pragma once

#include "duplicates/run.h"
#include "gkl_shim_internal.h"
#include "records/record.h"
#include "records/tags.h"

namespace gkl_shim::duplicates {

// The strand of a molecule that a pair comes from.
enum class Strand {
    kTop,
    kBottom,
    kUnknown,
    // htsjdk may have to say what is wrong.
    kUnusual,
};

class Batch {
   public:
    // Throws Failed if a record is not within the bytes, or has no file.
    Batch(const gkl_shim_duplicates_run &run, const gkl_shim_duplicates_records &records);

    Record record;
    Tags tags;
    // The read group, if the record is usual.
    const Text *group = nullptr;
    // The tag PG of a usual record. Null if there is none.
    const Tag *program_tag = nullptr;

    // Reads a record. Returns whether it is usual.
    bool read(int32_t number);

    // What is listed for the program. Null if nothing is.
    const Text *program() const;

    // The strand of the molecule: Picard takes it from the mates' 5' ends.
    Strand strand() const;

    // One of GKL_SHIM_DUPLICATES_NAMED_TAGS. Null if the record or the run has none.
    const Tag *named_tag(int32_t number) const {
        return run_.tags[number] == 0 ? nullptr : tags.find(run_.tags[number]);
    }

    int32_t file(int32_t number) const { return records_.files ? records_.files[number] : 0; }

   private:
    const gkl_shim_duplicates_run::File *file_ = nullptr;
    const gkl_shim_duplicates_run &run_;
    const gkl_shim_duplicates_records &records_;
};

}  // namespace gkl_shim::duplicates
