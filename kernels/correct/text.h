// Reads in a piece of a FASTQ or FASTA file, which are counted and corrected in place. The
// prefilter reads its files with it, too.
#pragma once

#include <stdint.h>

#include <vector>

#include "correct/outcome.h"
#include "correct/reads.h"

namespace gkl_shim::correct {

// A FASTQ record has four lines. A FASTA record has a header, and a sequence on any number of
// lines. Lines may end with CR LF. Blank lines at the end of the file are ignored.
class Chunk {
   public:
    // Reads have the letters ACGTN. The prefilter's may have others, and are not corrected.
    explicit Chunk(bool for_prefilter) : for_prefilter_(for_prefilter) {}

    // As gkl_shim_correct_chunk_parse(). If the text is not the file's last, a FASTA record is
    // complete only if another follows. Returns false, with an error that names the record, if one
    // is malformed. Throws std::bad_alloc.
    bool parse(uint8_t *text, int64_t size, bool last, int64_t before, int threads);

    int64_t records() const { return int64_t(records_.size()); }
    int64_t bases() const { return bases_; }
    const Read *reads() const { return reads_.data(); }

    // As gkl_shim_correct_chunk_compare_names(). Returns false, with the error, if names differ.
    bool compare_names(const Chunk *mates, int64_t before, int32_t *first) const;

    // Copies the letters of all reads, one read after another, and their lengths.
    void copy_reads(uint8_t *letters, int32_t *lengths) const;

    // Keeps the first records only.
    void cut(int64_t records);

    // Where the last record ends in the text.
    int64_t end() const { return records_.empty() ? 0 : records_.back().end; }

    // Puts reads that were copied, because they have several lines, back into the text.
    void put_back();

    // Writes the records that are to be kept, each cut to its outcome's [begin, end), to `out`,
    // which has room for the text. Returns the bytes written.
    int64_t write(const Outcome *outcomes, const uint8_t *keep, uint8_t *out) const;

   private:
    struct Record {
        int64_t begin, sequence, sequence_end, qualities, end;  // in the text
    };

    bool only_blank_lines(const uint8_t *at, const uint8_t *end, int64_t before,
                          const char *wrong) const;
    bool fastq(int64_t size, bool last, int64_t before);
    bool fasta(int64_t size, bool last, int64_t before);
    template <class Visit>
    void for_lines(const Record &record, const Visit &visit) const;
    void join_lines();
    bool check_letters(int64_t before, int threads) const;

    const bool for_prefilter_;
    uint8_t *text_ = nullptr;
    int64_t bases_ = 0;
    std::vector<Record> records_;
    std::vector<Read> reads_;
    std::vector<uint8_t> joined_;  // sequences of several lines
};

}  // namespace gkl_shim::correct
