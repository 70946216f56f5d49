#include "hmm/region_parser.h"

#include <string.h>

#include <algorithm>
#include <vector>

#include "common/cpu.h"
#include "common/error.h"
#include "common/text/fields.h"
#include "common/text/printable.h"
#include "hmm/letters.h"

namespace gkl_shim::hmm {
namespace {

enum : int { kTracks = 5, kMaxDigits = 9, kExcerpt = 30 };
enum : uint8_t { kPhred = 33, kMaxQual = 127 };
const char *const kQualNames[] = {"quals", "insertion_quals", "deletion_quals",
                                  "continuation_quals"};

const uint8_t *skip_spaces(const uint8_t *from, const uint8_t *end) {
    while (from < end && is_space(*from)) from++;
    return from;
}

const uint8_t *field_end(const uint8_t *from, const uint8_t *end) {
    // Looks for the end one vector at a time, then byte by byte.
    enum { kWidth = 32 };
    for (; end - from >= kWidth; from += kWidth) {
        uint8_t any = 0;
        for (int k = 0; k < kWidth; k++) any |= uint8_t(is_space(from[k]));
        if (any) break;
    }
    while (from < end && !is_space(*from)) from++;
    return from;
}

// Finds the first fields of a line. Returns how many fields the line has in all.
template <int MOST>
int64_t split(const Line &line, Field (&fields)[MOST]) {
    int64_t count = 0;
    const uint8_t *from = skip_spaces(line.begin, line.end);
    for (; from < line.end; count++) {
        const uint8_t *end = field_end(from, line.end);
        if (count < MOST) fields[count] = {from, end - from};
        from = skip_spaces(end, line.end);
    }
    return count;
}

// The numbers in a region's first line. A blank line has none.
struct Header {
    bool blank;
    int64_t reads, haplotypes;
};

bool parse_header(const Line &line, Header *header) {
    Field fields[2];
    const int64_t count = split(line, fields);
    *header = {count == 0, 0, 0};
    if (header->blank) return true;
    bool good = count == 2;
    int64_t numbers[2] = {};
    for (int k = 0; good && k < 2; k++) {
        good = fields[k].size <= kMaxDigits;
        for (int64_t z = 0; good && z < fields[k].size; z++) {
            const uint8_t digit = uint8_t(fields[k].begin[z] - '0');
            good = digit < 10;
            numbers[k] = 10 * numbers[k] + digit;
        }
    }
    *header = {false, numbers[0], numbers[1]};
    if (good || !line.reports) return good;
    const int64_t size = line.end - line.begin;
    return line.wrong(
        "expected a region's first line, the number of its reads and of its haplotypes, got %s%s",
        quoted(line.begin, std::min<int64_t>(size, kExcerpt)).c_str(), size > kExcerpt ? "…" : "");
}

// Copies flags from their hexadecimal digits. Returns whether all digits are valid.
bool copy_flags(const uint8_t *digits, int64_t count, uint8_t *to) {
    uint8_t wrong = 0;
    const auto value = [&wrong](uint8_t digit) {
        const uint8_t number = uint8_t(digit - '0'), letter = uint8_t((digit | 32) - 'a');
        wrong |= uint8_t((number > 9) & (letter > 5));
        return number < 10 ? number : uint8_t(letter + 10);
    };
    for (int64_t k = 0; k < count; k++)
        to[k] = uint8_t(value(digits[2 * k]) << 4 | value(digits[2 * k + 1]));
    return !wrong;
}

// These return false after they have reported what is wrong with a line.

bool check_read(const Line &line, const Limits &limits) {
    Field fields[kTracks];
    const int64_t count = split(line, fields);
    if (count != kTracks)
        return fail(
            "a read has 5 fields (bases, base, insertion, deletion and continuation qualities), "
            "here %lld",
            (long long)count);
    const Field &bases = fields[0], *quals = fields + 1;
    if (bases.size > limits.read)
        return fail("the read has %lld bases; at most %d are allowed", (long long)bases.size,
                    limits.read);
    for (int k = 0; k < kTracks - 1; k++)
        if (quals[k].size != bases.size)
            return fail("%s: %lld qualities for %lld bases", kQualNames[k],
                        (long long)quals[k].size, (long long)bases.size);
    const int64_t letter = find_refused(false, bases.begin, bases.size);
    if (letter >= 0)
        return fail("letter %s of the read is none of ACGTN",
                    shown_byte(bases.begin[letter]).c_str());
    for (int k = 0; k < kTracks - 1; k++)
        for (int64_t z = 0; z < quals[k].size; z++)
            if (uint8_t(quals[k].begin[z] - kPhred) > kMaxQual)
                return fail("%s: %s is no quality (Phred + 33, from '!')", kQualNames[k],
                            shown_byte(quals[k].begin[z]).c_str());
    return true;
}

bool check_flags(const Field &digits, int64_t letters, const RegionFormat &format) {
    if (digits.size != 2 * letters)
        return fail("the flags have %lld digits for %lld letters; they need two a letter",
                    (long long)digits.size, (long long)letters);
    std::vector<uint8_t> flags(static_cast<size_t>(letters));
    if (!copy_flags(digits.begin, letters, flags.data()))
        return fail("the flags are not all hexadecimal digits");
    const int64_t at = format.find_wrong_flags(flags.data(), letters);
    return at < 0 || fail("the flags of letter %lld are %02x; %s", (long long)at + 1,
                          flags[size_t(at)], format.wrong_flags);
}

bool check_haplotype(const Line &line, const RegionFormat &format) {
    Field fields[2];
    const int64_t count = split(line, fields);
    const bool flagged = format.find_wrong_flags;
    if (count != (flagged ? 2 : 1))
        return fail(flagged ? "a haplotype has 2 fields, its letters and their flags; here %lld"
                            : "a haplotype has 1 field, here %lld",
                    (long long)count);
    const Field &letters = fields[0];
    if (letters.size > format.limits.haplotype)
        return fail("the haplotype has %lld letters; at most %d are allowed",
                    (long long)letters.size, format.limits.haplotype);
    const int64_t refused = find_refused(false, letters.begin, letters.size);
    if (refused >= 0)
        return fail("letter %s of the haplotype is none of ACGTN",
                    shown_byte(letters.begin[refused]).c_str());
    if (flagged && !check_flags(fields[1], letters.size, format)) return false;
    return fail("with this one the region's haplotypes have more than %d letters together",
                format.limits.region);
}

// Copies letters. Returns whether all are valid.
bool copy_letters(const uint8_t *from, int64_t count, uint8_t *to) {
    memcpy(to, from, size_t(count));
    return find_refused(false, from, count) < 0;
}

bool copy_quals(const uint8_t *from, int64_t count, uint8_t *to) {
    uint8_t all = 0;
    for (int64_t k = 0; k < count; k++) {
        to[k] = uint8_t(from[k] - kPhred);
        all |= to[k];
    }
    return all <= kMaxQual;
}

// Parses a text into arrays. Several threads measure the first field of each line. This determines
// where each line's letters go, and several threads copy them there.
class Parser {
   public:
    Parser(const RegionFormat &format, const uint8_t *text, int64_t size, int64_t longest_line,
           int threads)
        : format_(format),
          text_(text),
          size_(size),
          longest_line_(longest_line),
          lines_(text, size, threads),
          rows_(size_t(lines_.count())) {}

    gkl_shim_status parse(int64_t *offsets, uint8_t *letters, gkl_shim_pairhmm_text *out,
                          const uint8_t **flags) {
        lines_.parse(lines_.count(), [this](const Line &line, int64_t k) {
            const uint8_t *from = skip_spaces(line.begin, line.end);
            const int64_t length = field_end(from, line.end) - from;
            rows_[size_t(k)] = {kHeader, line.begin, line.end, length, 0};
            return true;
        });
        const int64_t arranged = arrange(out);
        lay_out(arranged, offsets, letters, &out->batch);
        if (flagged()) *flags = flags_;
        const int64_t good =
            lines_.parse(arranged, [&](const Line &, int64_t k) { return copy(rows_[size_t(k)]); });
        const int64_t left = size_ - (lines_.start(good) - text_);
        if (good < lines_.count() || left > longest_line_) {
            out->lines = good;
            return explain(good);
        }
        out->used = lines_.start(out->lines) - text_;
        return GKL_SHIM_OK;
    }

   private:
    enum Kind : int { kHeader, kRead, kHaplotype };

    // A line: its kind, once known, and the index of its letters among those of all reads or of all
    // haplotypes.
    struct Row {
        Kind kind;
        const uint8_t *begin, *end;
        int64_t length;  // of its first field
        int64_t at;
    };

    // Determines the kind of each line. Returns the first line that cannot be of the kind expected,
    // or the number of lines.
    int64_t arrange(gkl_shim_pairhmm_text *out) {
        const int64_t count = lines_.count();
        int64_t line = 0;
        while (line < count) {
            const int64_t first = line;
            Header header;
            if (!take_header(line, &header)) return line;
            line++;
            const int64_t letters_before = haplotype_bases_;
            if (!header.blank) {
                for (; header.reads && line < count; line++, header.reads--)
                    if (!take_read(line)) return line;
                for (; header.haplotypes && line < count; line++, header.haplotypes--)
                    if (!take_haplotype(line) ||
                        haplotype_bases_ - letters_before > format_.limits.region)
                        return line;
                if (header.reads || header.haplotypes) {
                    out->unfinished = first;
                    out->missing_reads = header.reads;
                    out->missing_haplotypes = header.haplotypes;
                    break;
                }
                region_reads_.push_back(reads_);
                region_haplotypes_.push_back(haplotypes_);
            }
            out->lines = line;
        }
        return count;
    }

    bool take_header(int64_t line, Header *header) {
        const Row &row = rows_[size_t(line)];
        return !too_long(row) && parse_header({row.begin, row.end, false}, header);
    }

    // Each of a read's five fields must be as long as the first, and a haplotype's flags twice as
    // long as its letters; otherwise the line is wrong. So accepted lines never need more room than
    // the text.
    bool take_read(int64_t line) {
        Row &row = rows_[size_t(line)];
        row.kind = kRead;
        row.at = read_bases_;
        if (too_long(row) || row.length > format_.limits.read ||
            row.end - row.begin < kTracks * row.length + kTracks - 1)
            return false;
        reads_++;
        read_bases_ += row.length;
        return true;
    }

    bool take_haplotype(int64_t line) {
        Row &row = rows_[size_t(line)];
        row.kind = kHaplotype;
        row.at = haplotype_bases_;
        if (too_long(row) || row.length > format_.limits.haplotype ||
            (flagged() && row.end - row.begin < 3 * row.length + 1))
            return false;
        haplotypes_++;
        haplotype_bases_ += row.length;
        return true;
    }

    bool flagged() const { return format_.find_wrong_flags; }
    bool too_long(const Row &row) const { return row.end - row.begin > longest_line_; }

    // Divides the caller's arrays among the batch's arrays and fills in the offsets.
    void lay_out(int64_t lines, int64_t *offsets, uint8_t *letters, gkl_shim_pairhmm_batch *batch) {
        for (int track = 0; track < kTracks; track++)
            tracks_[track] = letters + track * read_bases_;
        haplotype_letters_ = letters + kTracks * read_bases_;
        flags_ = haplotype_letters_ + haplotype_bases_;
        int64_t *const region_reads = offsets;
        int64_t *const region_haplotypes =
            std::copy(region_reads_.begin(), region_reads_.end(), region_reads);
        int64_t *const read_offsets =
            std::copy(region_haplotypes_.begin(), region_haplotypes_.end(), region_haplotypes);
        int64_t *const haplotype_offsets = read_offsets + reads_ + 1;
        int64_t *read_end = read_offsets, *haplotype_end = haplotype_offsets;
        *read_end = *haplotype_end = 0;
        for (int64_t line = 0; line < lines; line++) {
            const Row &row = rows_[size_t(line)];
            if (row.kind == kRead) *++read_end = row.at + row.length;
            if (row.kind == kHaplotype) *++haplotype_end = row.at + row.length;
        }
        *batch = {int64_t(region_reads_.size()) - 1,
                  region_reads,
                  region_haplotypes,
                  read_offsets,
                  tracks_[0],
                  tracks_[1],
                  tracks_[2],
                  tracks_[3],
                  tracks_[4],
                  haplotype_offsets,
                  haplotype_letters_};
    }

    // Copies a line's letters to their place. Returns whether the line is valid.
    bool copy(const Row &row) const {
        if (row.kind == kHeader) return true;
        if (row.length == 0) return false;
        const uint8_t *from = skip_spaces(row.begin, row.end);
        if (row.kind == kHaplotype) {
            if (!copy_letters(from, row.length, haplotype_letters_ + row.at)) return false;
            from = skip_spaces(from + row.length, row.end);
            if (flagged()) {
                uint8_t *to = flags_ + row.at;
                if (row.end - from < 2 * row.length || !copy_flags(from, row.length, to) ||
                    format_.find_wrong_flags(to, row.length) >= 0)
                    return false;
                from = skip_spaces(from + 2 * row.length, row.end);
            }
            return from == row.end;
        }
        for (int track = 0; track < kTracks; track++) {
            uint8_t *to = tracks_[track] + row.at;
            if (row.end - from < row.length) return false;
            if (!(track ? copy_quals : copy_letters)(from, row.length, to)) return false;
            from += row.length;
            if (from < row.end && !is_space(*from)) return false;
            from = skip_spaces(from, row.end);
        }
        return from == row.end;
    }

    // Reports what is wrong with line k, which may be the incomplete last one.
    gkl_shim_status explain(int64_t k) const {
        if (k == lines_.count() || too_long(rows_[size_t(k)]))
            return invalid("a line of more than %lld bytes", (long long)longest_line_);
        const Line line = lines_.reporting(k);
        Header header;
        switch (rows_[size_t(k)].kind) {
            case kHeader:
                parse_header(line, &header);
                break;
            case kRead:
                check_read(line, format_.limits);
                break;
            case kHaplotype:
                check_haplotype(line, format_);
        }
        return GKL_SHIM_EINVAL;
    }

    const RegionFormat format_;
    const uint8_t *const text_;
    const int64_t size_, longest_line_;
    const Lines lines_;
    std::vector<Row> rows_;
    std::vector<int64_t> region_reads_ = {0}, region_haplotypes_ = {0};
    int64_t reads_ = 0, haplotypes_ = 0, read_bases_ = 0, haplotype_bases_ = 0;
    uint8_t *tracks_[kTracks], *haplotype_letters_, *flags_;
};

}  // namespace

gkl_shim_status parse_regions(const RegionFormat &format, const uint8_t *text, int64_t size,
                              int64_t longest_line, int32_t threads, int64_t *offsets,
                              uint8_t *letters, gkl_shim_pairhmm_text *out, const uint8_t **flags) {
    *out = {};
    out->unfinished = -1;
    if (!check_count("size", size)) return GKL_SHIM_EINVAL;
    if (longest_line < 0)
        return invalid("longest_line is %lld, less than 0", (long long)longest_line);
    if (threads < 0) return invalid("threads is %d, less than 0", threads);
    if (!offsets || (size > 0 && (!text || !letters))) return invalid("an argument is null");
    return guarded([&] {
        Parser parser(format, text, size, longest_line, allowed_threads(threads));
        return parser.parse(offsets, letters, out, flags);
    });
}

}  // namespace gkl_shim::hmm
