#include "mem/text.h"

#include <string.h>

#include <algorithm>
#include <atomic>

#include "common/thread_pool.h"

namespace gkl_shim {
namespace mem {
namespace {

// Letters that one task prepares. A multiple of 64, so that tasks share no byte of a bit array.
const int64_t kTextPiece = int64_t(1) << 18;
const int64_t kLettersPerNanosecond = 1;

uint8_t lower(int byte) { return uint8_t(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte); }

bool is_nucleotide(uint8_t letter) {
    return letter == 'a' || letter == 'c' || letter == 'g' || letter == 't';
}

// mummer's complement: of the IUPAC codes, and n for every other letter.
uint8_t complement(uint8_t letter) {
    const char *const from = "acgtryswmkbdhv", *const to = "tgcayrswkmvhdb";
    const char *const found = letter ? strchr(from, letter) : nullptr;
    return found ? uint8_t(to[found - from]) : uint8_t('n');
}

LetterTable letters_of(Role role, bool nucleotides_only) {
    LetterTable table;
    for (int byte = 0; byte < 256; byte++) {
        uint8_t letter = lower(byte);
        if (letter >= kQueryOther || (nucleotides_only && !is_nucleotide(letter)))
            letter = role == Role::kReference ? kReferenceOther : kQueryOther;
        else if (role == Role::kReversedQuery)
            letter = complement(letter);
        table.of[byte] = letter;
    }
    return table;
}

const uint64_t kEach = 0x0101010101010101;

// The reverse complement of 8 letters, all of acgt. a and t differ in the bits 0x15, c and g in
// 0x04, and only c and g have the bit 0x02.
uint64_t reverse_complement(uint64_t nucleotides) {
    const uint64_t is_cg = nucleotides >> 1 & kEach;
    return __builtin_bswap64(nucleotides ^ 0x15 * kEach ^ 0x11 * is_cg);
}

// Copies letters, 8 at a time where all are nucleotides. The bit 0x20 makes them lower case.
void copy_forward(const LetterTable &table, const uint8_t *source, uint8_t *out, int64_t count) {
    int64_t k = 0;
    for (; k + 8 <= count; k += 8) {
        const uint64_t lowered = word_at(source + k) | 0x20 * kEach;
        if (odd_bits_of(lowered) == 0)
            memcpy(out + k, &lowered, sizeof lowered);
        else
            for (int64_t at = k; at < k + 8; at++) out[at] = table.of[source[at]];
    }
    for (; k < count; k++) out[k] = table.of[source[k]];
}

// Copies the reverse complement of the letters before `source_end`.
void copy_reversed(const LetterTable &table, const uint8_t *source_end, uint8_t *out,
                   int64_t count) {
    int64_t k = 0;
    for (; k + 8 <= count; k += 8) {
        const uint64_t lowered = word_at(source_end - k - 8) | 0x20 * kEach;
        if (odd_bits_of(lowered) == 0) {
            const uint64_t turned = reverse_complement(lowered);
            memcpy(out + k, &turned, sizeof turned);
        } else {
            for (int64_t at = k; at < k + 8; at++) out[at] = table.of[source_end[-1 - at]];
        }
    }
    for (; k < count; k++) out[k] = table.of[source_end[-1 - k]];
}

struct Preparation {
    const TextSource &source;
    uint8_t *letters, *codes, *odd;
    int64_t size;
    std::atomic<int64_t> odd_letters;

    // Prepares the bytes [begin, end) of the text.
    void prepare(int64_t begin, int64_t end) {
        const int64_t last = std::min(end, size);
        if (begin < last) source.copy(begin, last, letters + begin);
        for (int64_t at = std::max(begin, size); at < end; at++) letters[at] = source.end_byte();
        int64_t count = 0;
        for (int64_t at = begin; at < end; at += 8) {
            const uint64_t word = word_at(letters + at);
            const uint16_t code = codes_of(word);
            memcpy(codes + at / 4, &code, sizeof code);
            const uint8_t flags = odd_of(word);
            odd[at / 8] = flags;
            if (flags)
                for (int k = 0; k < 8; k++)
                    count += (flags >> k & 1) && letters[at + k] < kQueryOther;
        }
        odd_letters += count;
    }
};

}  // namespace

int64_t SequenceStarts::sequence_at(int64_t position) const {
    const auto is_before = [&](const int64_t &offset) {
        return (*this)[&offset - offsets] <= position;
    };
    return std::partition_point(offsets, offsets + count + 1, is_before) - offsets - 1;
}

TextSource::TextSource(Role role, bool nucleotides_only, const uint8_t *letters,
                       const SequenceStarts &starts)
    : role_(role), table_(letters_of(role, nucleotides_only)), letters_(letters), starts_(starts) {}

void TextSource::copy(int64_t begin, int64_t end, uint8_t *out) const {
    int64_t sequence = starts_.sequence_at(begin);
    for (int64_t at = begin; at < end; sequence++) {
        const int64_t start = starts_[sequence], stop = starts_[sequence + 1] - 1;
        const int64_t to = std::min(stop, end);
        const uint8_t *const letters = letters_ + starts_.offsets[sequence];
        if (is_reversed())
            copy_reversed(table_, letters + (stop - at), out + (at - begin), to - at);
        else
            copy_forward(table_, letters + (at - start), out + (at - begin), to - at);
        at = to;
        if (at < end) out[at++ - begin] = end_byte();
    }
}

Text::Text(bool nucleotides_only, const uint8_t *letters, const int64_t *offsets, int64_t count,
           int threads)
    : starts_(size_t(count + 1)) {
    const SequenceStarts starts = {offsets, count, 1};
    for (int64_t k = 0; k <= count; k++) starts_[size_t(k)] = starts[k];
    fill(TextSource(Role::kReference, nucleotides_only, letters, starts), threads);
}

Text::Text(const uint8_t *letters, std::vector<int64_t> starts, int threads)
    : starts_(std::move(starts)) {
    fill(TextSource(Role::kReference, false, letters, {starts_.data(), count(), 0}), threads);
}

Text::Text(const TextSource &queries, int threads) { fill(queries, threads); }

void Text::fill(const TextSource &source, int threads) {
    size_ = source.size();
    const int64_t padded = (size_ + 127) / 64 * 64;
    letters_ = Buffer<uint8_t>(padded + 2 * kGuard);
    codes_ = Buffer<uint8_t>(padded / 4 + 2 * kGuard);
    odd_ = Buffer<uint8_t>(padded / 8 + 2 * kGuard);
    const auto guard = [](Buffer<uint8_t> &buffer, int64_t bytes, uint8_t value) {
        memset(buffer.data(), value, kGuard);
        memset(buffer.data() + kGuard + bytes, value, kGuard);
    };
    guard(letters_, padded, source.end_byte());
    guard(codes_, padded / 4, 0);
    guard(odd_, padded / 8, 0xFF);
    Preparation preparation = {
        source, letters_.data() + kGuard, codes_.data() + kGuard, odd_.data() + kGuard, size_, {0}};
    parallel_for((padded + kTextPiece - 1) / kTextPiece, padded / kLettersPerNanosecond, threads,
                 [](void *context, int64_t piece) {
                     Preparation &preparation = *static_cast<Preparation *>(context);
                     const int64_t padded = (preparation.size + 127) / 64 * 64;
                     preparation.prepare(piece * kTextPiece,
                                         std::min((piece + 1) * kTextPiece, padded));
                 },
                 &preparation);
    odd_letters_ = preparation.odd_letters;
}

int64_t Text::sequence_at(int64_t position) const {
    return std::upper_bound(starts_.begin(), starts_.end(), position) - starts_.begin() - 1;
}

}  // namespace mem
}  // namespace gkl_shim
