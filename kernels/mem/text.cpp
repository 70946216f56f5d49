#include "mem/text.h"

#include <string.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "common/thread_pool.h"

namespace gkl_shim {
namespace mem {
namespace {

// Letters that one task prepares. A multiple of 64, so that tasks share no byte of a bit array.
const int64_t kTextPiece = int64_t(1) << 18;
const int64_t kLettersPerNanosecond = 1;

using Table = std::array<uint8_t, 256>;

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

Table letters_of(Role role, bool nucleotides_only) {
    Table table;
    for (int byte = 0; byte < 256; byte++) {
        uint8_t letter = lower(byte);
        if (letter >= kQueryOther || (nucleotides_only && !is_nucleotide(letter)))
            letter = role == Role::kReference ? kReferenceOther : kQueryOther;
        else if (role == Role::kReversedQuery)
            letter = complement(letter);
        table[size_t(byte)] = letter;
    }
    return table;
}

// The codes of 8 letters, two bits each.
uint16_t codes_of(uint64_t word) {
    uint64_t codes = word >> 1 & 0x0303030303030303;
    codes = (codes | codes >> 6) & 0x000F000F000F000F;
    codes = (codes | codes >> 12) & 0x000000FF000000FF;
    return uint16_t(codes | codes >> 24);
}

const uint64_t kEach = 0x0101010101010101, kHigh = 0x80 * kEach;

// The highest bit of each of 8 letters that is not one of acgt.
uint64_t odd_bits_of(uint64_t word) {
    uint64_t odd = kHigh;
    for (const uint64_t nucleotide : {'a', 'c', 'g', 't'}) {
        const uint64_t different = word ^ nucleotide * kEach;
        odd &= ((different & ~kHigh) + ~kHigh) | different;
    }
    return odd;
}

// A bit for each of 8 letters that is not one of acgt.
uint8_t odd_of(uint64_t word) {
    return uint8_t((odd_bits_of(word) >> 7) * 0x0102040810204080 >> 56);
}

// The reverse complement of 8 letters, all of acgt. a and t differ in the bits 0x15, c and g in
// 0x04, and only c and g have the bit 0x02.
uint64_t reverse_complement(uint64_t nucleotides) {
    const uint64_t is_cg = nucleotides >> 1 & kEach;
    return __builtin_bswap64(nucleotides ^ 0x15 * kEach ^ 0x11 * is_cg);
}

struct Preparation {
    Role role;
    const Table &table;
    const uint8_t *from;
    const int64_t *sources;
    const std::vector<int64_t> &starts;
    uint8_t *letters, *codes, *odd;
    int64_t size;
    uint8_t end_byte;
    std::atomic<int64_t> odd_letters;

    // Prepares the bytes [begin, end) of the text.
    void prepare(int64_t begin, int64_t end) {
        copy(begin, std::min(end, size));
        for (int64_t at = std::max(begin, size); at < end; at++) letters[at] = end_byte;
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

    void copy(int64_t begin, int64_t end) const {
        int64_t sequence =
            std::upper_bound(starts.begin(), starts.end(), begin) - starts.begin() - 1;
        for (int64_t at = begin; at < end; sequence++) {
            const int64_t start = starts[size_t(sequence)];
            const int64_t stop = starts[size_t(sequence + 1)] - 1;
            const int64_t to = std::min(stop, end);
            const uint8_t *const sequence_letters = from + sources[sequence];
            if (role == Role::kReversedQuery)
                copy_reversed(sequence_letters + (stop - at), letters + at, to - at);
            else
                copy_forward(sequence_letters + (at - start), letters + at, to - at);
            at = to;
            if (at < end) letters[at++] = end_byte;
        }
    }

    // Copies 8 letters at a time where all are nucleotides. The bit 0x20 makes them lower case.
    void copy_forward(const uint8_t *source, uint8_t *out, int64_t count) const {
        int64_t k = 0;
        for (; k + 8 <= count; k += 8) {
            const uint64_t lowered = word_at(source + k) | 0x20 * kEach;
            if (odd_bits_of(lowered) == 0)
                memcpy(out + k, &lowered, sizeof lowered);
            else
                for (int64_t at = k; at < k + 8; at++) out[at] = table[source[at]];
        }
        for (; k < count; k++) out[k] = table[source[k]];
    }

    // Copies the reverse complement of the letters before `source_end`.
    void copy_reversed(const uint8_t *source_end, uint8_t *out, int64_t count) const {
        int64_t k = 0;
        for (; k + 8 <= count; k += 8) {
            const uint64_t lowered = word_at(source_end - k - 8) | 0x20 * kEach;
            if (odd_bits_of(lowered) == 0) {
                const uint64_t turned = reverse_complement(lowered);
                memcpy(out + k, &turned, sizeof turned);
            } else {
                for (int64_t at = k; at < k + 8; at++) out[at] = table[source_end[-1 - at]];
            }
        }
        for (; k < count; k++) out[k] = table[source_end[-1 - k]];
    }
};

}  // namespace

Text::Text(Role role, bool nucleotides_only, const uint8_t *letters, const int64_t *offsets,
           int64_t count, int threads)
    : size_(offsets[count] + count), starts_(size_t(count + 1)) {
    for (int64_t k = 0; k <= count; k++) starts_[size_t(k)] = offsets[k] + k;
    fill(role, nucleotides_only, letters, offsets, threads);
}

Text::Text(const uint8_t *letters, std::vector<int64_t> starts, int threads)
    : size_(starts.back()), starts_(std::move(starts)) {
    fill(Role::kReference, false, letters, starts_.data(), threads);
}

void Text::fill(Role role, bool nucleotides_only, const uint8_t *letters, const int64_t *sources,
                int threads) {
    const int64_t padded = (size_ + 127) / 64 * 64;
    letters_ = Buffer<uint8_t>(padded + 2 * kGuard);
    codes_ = Buffer<uint8_t>(padded / 4 + 2 * kGuard);
    odd_ = Buffer<uint8_t>(padded / 8 + 2 * kGuard);
    const uint8_t end_byte = role == Role::kReference ? kReferenceEnd : kQueryEnd;
    const auto guard = [](Buffer<uint8_t> &buffer, int64_t bytes, uint8_t value) {
        memset(buffer.data(), value, kGuard);
        memset(buffer.data() + kGuard + bytes, value, kGuard);
    };
    guard(letters_, padded, end_byte);
    guard(codes_, padded / 4, 0);
    guard(odd_, padded / 8, 0xFF);
    const Table table = letters_of(role, nucleotides_only);
    Preparation preparation = {role,
                               table,
                               letters,
                               sources,
                               starts_,
                               letters_.data() + kGuard,
                               codes_.data() + kGuard,
                               odd_.data() + kGuard,
                               size_,
                               end_byte,
                               {0}};
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
