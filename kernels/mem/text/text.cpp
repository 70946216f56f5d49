#include "mem/text/text.h"

#include <string.h>

#include <algorithm>
#include <atomic>

#include "common/text/bytes.h"
#include "common/thread_pool.h"

namespace gkl_shim::mem {
namespace {

// Letters that one task prepares. A multiple of 64, so that tasks share no byte of a bit array.
const int64_t kTextPiece = int64_t(1) << 18;
const int64_t kLettersPerNanosecond = 1;

uint8_t lower(int byte) { return uint8_t(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte); }

// Of a letter, or of each letter of a vector.
template <class Letter>
auto is_nucleotide(Letter letter) {
    return (letter == 'a') | (letter == 'c') | (letter == 'g') | (letter == 't');
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

// Copies the letters from `source` on, or the reverse complement of those before it, 8 at a time
// where all are acgt.
template <bool kReversed>
void copy_letters(const LetterTable &table, const uint8_t *source, uint8_t *out, int64_t count) {
    const auto at = [source](int64_t k) { return source + (kReversed ? -1 - k : k); };
    for (int64_t k = 0; k < count;) {
        uint64_t letters;
        if (k + 8 <= count && usual_letters(kReversed ? at(k + 7) : at(k), kReversed, &letters)) {
            memcpy(out + k, &letters, sizeof letters);
            k += 8;
        } else {
            for (const int64_t end = std::min(k + 8, count); k < end; k++)
                out[k] = table.of[*at(k)];
        }
    }
}

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
            copy_letters<true>(table_, letters + (stop - at), out + (at - begin), to - at);
        else
            copy_letters<false>(table_, letters + (at - start), out + (at - begin), to - at);
        at = to;
        if (at < end) out[at++ - begin] = end_byte();
    }
}

int64_t TextSource::odd_letters(int threads) const {
    bool is_odd[256];
    for (int byte = 0; byte < 256; byte++)
        is_odd[byte] = !is_nucleotide(table_.of[byte]) && table_.of[byte] < kQueryOther;
    std::atomic<int64_t> total{0};
    const int64_t letters = starts_.offsets[starts_.count];
    const int64_t nanoseconds = letters / kLettersPerNanosecond;
    parallel_for_ranges(letters, kTextPiece, nanoseconds, threads, [&](int64_t begin, int64_t end) {
        const int64_t together = 512;
        int64_t count = 0;
        for (int64_t at = begin; at < end; at += together) {
            const int64_t last = std::min(at + together, end);
            const auto are_nucleotides = [](auto letters) { return is_nucleotide(letters | 0x20); };
            if (!all_bytes(letters_ + at, last - at, are_nucleotides))
                for (int64_t k = at; k < last; k++) count += is_odd[letters_[k]];
        }
        total += count;
    });
    return total;
}

Text::Text(const TextSource &source, int threads) : size_(source.size()) {
    const int64_t padded = (size_ + 127) / 64 * 64;
    const auto buffer = [](int64_t bytes, uint8_t guard) {
        Buffer<uint8_t> made(bytes + 2 * kGuard);
        memset(made.data(), guard, kGuard);
        memset(made.data() + kGuard + bytes, guard, kGuard);
        return made;
    };
    letters_ = buffer(padded, source.end_byte());
    codes_ = buffer(padded / 4, 0);
    odd_ = buffer(padded / 8, 0xFF);
    uint8_t *const letters = letters_.data() + kGuard;
    uint8_t *const codes = codes_.data() + kGuard, *const odd = odd_.data() + kGuard;
    const int64_t nanoseconds = padded / kLettersPerNanosecond;
    parallel_for_ranges(padded, kTextPiece, nanoseconds, threads, [&](int64_t begin, int64_t end) {
        const int64_t last = std::min(end, size_);
        if (begin < last) source.copy(begin, last, letters + begin);
        for (int64_t at = std::max(begin, size_); at < end; at++) letters[at] = source.end_byte();
        for (int64_t at = begin; at < end; at += 8) {
            const uint64_t word = word_at(letters + at);
            const uint16_t code = codes_of(word);
            memcpy(codes + at / 4, &code, sizeof code);
            odd[at / 8] = odd_of(word);
        }
    });
}

}  // namespace gkl_shim::mem
