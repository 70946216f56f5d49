#include "correct/text.h"

#include <string.h>

#include <algorithm>

#include "common/error.h"
#include "common/text/fields.h"
#include "common/text/printable.h"
#include "common/thread_pool.h"

namespace gkl_shim::correct {
namespace {

constexpr int64_t kBasesANanosecond = 4;

// The start of a name, for messages.
std::string name_of(const uint8_t *header, const uint8_t *end) {
    const uint8_t *from = std::min(header + 1, end);
    const uint8_t *to = from;
    while (to < end && to - from < 80 && *to > ' ') to++;
    return printable(std::string(from, to));
}

// The number at the end of the first mate's name, 1 or 2, if two headers are of mates whose names
// end with 1 and 2 behind a separator. 0 if the names are equal, and -1 if they are not of mates.
// Names end before a white space.
int first_number(const uint8_t *one, const uint8_t *other) {
    int64_t at = 0;
    while (one[at] == other[at] && one[at] > ' ') at++;
    if (one[at] <= ' ' && other[at] <= ' ') return 0;
    const bool numbers =
        (one[at] == '1' && other[at] == '2') || (one[at] == '2' && other[at] == '1');
    const bool are_mates = numbers && at > 0 && strchr("/._-", one[at - 1]) && one[at + 1] <= ' ' &&
                           other[at + 1] <= ' ';
    return are_mates ? one[at] - '0' : -1;
}

const uint8_t *without_cr(const uint8_t *begin, const uint8_t *newline) {
    return newline > begin && newline[-1] == '\r' ? newline - 1 : newline;
}

}  // namespace

bool Chunk::parse(uint8_t *text, int64_t size, bool last, int64_t before, int threads) {
    text_ = text;
    bases_ = 0;
    records_.clear();
    reads_.clear();
    joined_.clear();
    if (size == 0) return true;
    if (text[0] != '@' && text[0] != '>')
        return only_blank_lines(text, text + size, before,
                                "it starts with neither @ (FASTQ) nor > (FASTA)");
    const bool parsed = text[0] == '@' ? fastq(size, last, before) : fasta(size, last, before);
    return parsed && (for_prefilter_ || check_letters(before, threads));
}

// Whether blank lines alone are where a record should begin. They are no error at the end of a
// file.
bool Chunk::only_blank_lines(const uint8_t *at, const uint8_t *end, int64_t before,
                             const char *wrong) const {
    const uint8_t *const text = std::find_if_not(at, end, is_space);
    const uint8_t *const newline = std::find(at, text, '\n');
    return text == end ||
           fail("record %lld: %s", (long long)(before + records() + 1),
                newline < text ? "a blank line is before it; only the last lines of a file may be"
                               : wrong);
}

bool Chunk::fastq(int64_t size, bool last, int64_t before) {
    const uint8_t *const end = text_ + size;
    const uint8_t *at = text_;
    while (at < end) {
        if (*at != '@')
            return only_blank_lines(at, end, before, "its first line does not start with @");
        const uint8_t *line[5] = {at}, *stop[4];
        int lines = 0;
        for (; lines < 4; lines++) {
            const void *const newline = memchr(line[lines], '\n', size_t(end - line[lines]));
            if (!newline) break;
            line[lines + 1] = static_cast<const uint8_t *>(newline) + 1;
            stop[lines] = without_cr(line[lines], static_cast<const uint8_t *>(newline));
        }
        const long long number = (long long)(before + records() + 1);
        if (lines < 4) {
            if (!last) return true;
            return fail("record %lld (%s) is cut off: it has %d of 4 lines", number,
                        name_of(at, lines > 0 ? stop[0] : end).c_str(), lines);
        }
        if (*line[2] != '+')
            return fail("record %lld (%s): its third line does not start with +", number,
                        name_of(at, stop[0]).c_str());
        const int64_t length = stop[1] - line[1];
        if (stop[3] - line[3] != length)
            return fail("record %lld (%s) has %lld bases but %lld qualities", number,
                        name_of(at, stop[0]).c_str(), (long long)length,
                        (long long)(stop[3] - line[3]));
        if (length > kMaxReadLength)
            return fail("record %lld (%s) has %lld bases, more than %lld", number,
                        name_of(at, stop[0]).c_str(), (long long)length, (long long)kMaxReadLength);
        records_.push_back(
            {at - text_, line[1] - text_, stop[1] - text_, line[3] - text_, line[4] - text_});
        reads_.push_back({text_ + (line[1] - text_), line[3], int32_t(length)});
        bases_ += length;
        at = line[4];
    }
    return true;
}

bool Chunk::fasta(int64_t size, bool last, int64_t before) {
    const uint8_t *const end = text_ + size;
    const uint8_t *at = text_;
    bool several_lines = false;
    while (at < end) {
        const long long number = (long long)(before + records() + 1);
        if (*at != '>') return fail("record %lld: its first line does not start with >", number);
        const void *const header = memchr(at, '\n', size_t(end - at));
        if (!header) break;
        const uint8_t *const sequence = static_cast<const uint8_t *>(header) + 1;
        const uint8_t *const name_end = without_cr(at, sequence - 1);
        if (memchr(at, '\r', size_t(name_end - at)))
            return fail(
                "record %lld (%s): its first line has a carriage return; end lines with LF or CR "
                "LF",
                number, name_of(at, name_end).c_str());
        const uint8_t *next = sequence, *stop = sequence;
        int lines = 0;
        int64_t length = 0;
        while (next < end && *next != '>') {
            const void *const newline = memchr(next, '\n', size_t(end - next));
            if (!newline) {
                next = end;
                break;
            }
            stop = without_cr(next, static_cast<const uint8_t *>(newline));
            length += stop - next;
            lines++;
            next = static_cast<const uint8_t *>(newline) + 1;
        }
        if (next == end && !last) break;
        if (length > kMaxReadLength)
            return fail("record %lld has %lld bases, more than %lld", number, (long long)length,
                        (long long)kMaxReadLength);
        several_lines |= lines > 1;
        records_.push_back({at - text_, sequence - text_, stop - text_, -1, next - text_});
        reads_.push_back({text_ + (sequence - text_), nullptr, int32_t(length)});
        bases_ += length;
        at = next;
    }
    if (several_lines) join_lines();
    return true;
}

// Visits the lines of a record's sequence without their ends: visit(begin, length).
template <class Visit>
void Chunk::for_lines(const Record &record, const Visit &visit) const {
    uint8_t *const end = text_ + record.sequence_end;
    for (uint8_t *line = text_ + record.sequence; line < end;) {
        void *const newline = memchr(line, '\n', size_t(end - line));
        if (!newline) {
            visit(line, size_t(end - line));
            return;
        }
        visit(line, size_t(without_cr(line, static_cast<uint8_t *>(newline)) - line));
        line = static_cast<uint8_t *>(newline) + 1;
    }
}

// Copies sequences of several lines, so that each read is contiguous.
void Chunk::join_lines() {
    joined_.resize(size_t(end()));
    uint8_t *to = joined_.data();
    for (size_t k = 0; k < records_.size(); k++) {
        const Record &record = records_[k];
        if (record.sequence_end - record.sequence == reads_[k].length) continue;
        reads_[k].letters = to;
        for_lines(record, [&to](const uint8_t *line, size_t length) {
            memcpy(to, line, length);
            to += length;
        });
    }
}

void Chunk::put_back() {
    for (size_t k = 0; k < records_.size(); k++) {
        const uint8_t *from = reads_[k].letters;
        if (from == text_ + records_[k].sequence) continue;
        for_lines(records_[k], [&from](uint8_t *line, size_t length) {
            memcpy(line, from, length);
            from += length;
        });
    }
}

bool Chunk::check_letters(int64_t before, int threads) const {
    FirstIndex first;
    parallel_for_ranges(
        records(), kReadsChecked, bases_ / kBasesANanosecond, threads,
        [&](int64_t begin, int64_t end) { add_wrong_read(reads_.data(), begin, end, &first); });
    const int64_t wrong = first.get();
    if (wrong < 0) return true;
    const Read &read = reads_[size_t(wrong)];
    const uint8_t *const header = text_ + records_[size_t(wrong)].begin;
    const int64_t at = wrong_letter(read.letters, read.length);
    return fail("record %lld (%s): letter %lld is \"%s\", not one of ACGTN",
                (long long)(before + wrong + 1),
                name_of(header, text_ + records_[size_t(wrong)].sequence).c_str(),
                (long long)at + 1, printable(std::string(1, char(read.letters[at]))).c_str());
}

bool Chunk::compare_names(const Chunk *mates, int64_t before, int32_t *first) const {
    const int64_t pairs = mates ? std::min(records(), mates->records()) : records() / 2;
    for (int64_t pair = 0; pair < pairs; pair++) {
        const int64_t left = mates ? pair : 2 * pair, right = mates ? pair : left + 1;
        const Chunk &others = mates ? *mates : *this;
        const Record &one = records_[size_t(left)], &other = others.records_[size_t(right)];
        const uint8_t *const header = text_ + one.begin, *const mate = others.text_ + other.begin;
        const int number = first_number(header + 1, mate + 1);
        if (number > 0 && *first == 0) *first = number;
        if (number == 0 || number == *first) continue;
        return fail("pair %lld: %s and %s%s", (long long)(before + pair + 1),
                    name_of(header, text_ + one.sequence).c_str(),
                    name_of(mate, others.text_ + other.sequence).c_str(),
                    number < 0 ? "" : ", in another order than before");
    }
    return true;
}

void Chunk::copy_reads(uint8_t *letters, int32_t *lengths) const {
    for (const Read &read : reads_) {
        memcpy(letters, read.letters, size_t(read.length));
        letters += read.length;
        *lengths++ = read.length;
    }
}

void Chunk::cut(int64_t records) {
    for (int64_t k = records; k < this->records(); k++) bases_ -= reads_[size_t(k)].length;
    records_.resize(size_t(records));
    reads_.resize(size_t(records));
}

int64_t Chunk::write(const Outcome *outcomes, const uint8_t *keep, uint8_t *out) const {
    uint8_t *to = out;
    const auto put = [&](const uint8_t *from, int64_t size) {
        memcpy(to, from, size_t(size));
        to += size;
    };
    for (size_t k = 0; k < records_.size(); k++) {
        if (!keep[k]) continue;
        const Record &record = records_[k];
        const int64_t begin = outcomes[k].begin, end = outcomes[k].end;
        if (end - begin == reads_[k].length) {
            put(text_ + record.begin, record.end - record.begin);
            continue;
        }
        put(text_ + record.begin, record.sequence - record.begin);
        put(reads_[k].letters + begin, end - begin);
        if (record.qualities < 0) {
            // The bases of a trimmed FASTA record are on one line.
            put(text_ + record.sequence_end, record.end - record.sequence_end);
            continue;
        }
        put(text_ + record.sequence_end, record.qualities - record.sequence_end);
        put(text_ + record.qualities + begin, end - begin);
        const int64_t rest = record.qualities + reads_[k].length;
        put(text_ + rest, record.end - rest);
    }
    return to - out;
}

}  // namespace gkl_shim::correct
