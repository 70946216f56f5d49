#include "mem/text/fasta.h"

#include <string.h>

#include <algorithm>

#include "common/text/fields.h"
#include "common/thread_pool.h"

namespace gkl_shim::mem {
namespace {

const int64_t kFastaPiece = int64_t(1) << 18;
const int64_t kBytesPerNanosecond = 2;

const uint8_t *find(const uint8_t *from, const uint8_t *to, uint8_t byte) {
    const void *found = memchr(from, byte, size_t(to - from));
    return found ? static_cast<const uint8_t *>(found) : to;
}

// Whether a line holds letters alone. Control characters are letters, too, but rare.
bool is_plain(const uint8_t *from, const uint8_t *to) {
    uint8_t other = 0;
    for (; from < to; from++) other |= uint8_t(uint8_t(*from <= ' ') | uint8_t(*from == '>'));
    return !other;
}

// Calls sink.letters(from, to) for runs of letters and sink.name(from, to) for each description.
template <class Sink>
void scan(const uint8_t *from, const uint8_t *end, Sink &sink) {
    while (from < end) {
        const uint8_t *line = find(from, end, '\n');
        if (is_plain(from, line)) {
            sink.letters(from, line);
            from = line + 1;
            continue;
        }
        while (from < line) {
            const uint8_t *run = from;
            while (run < line && *run != '>' && !is_space(*run)) run++;
            if (run > from) sink.letters(from, run);
            if (run < line && *run == '>') {
                const uint8_t *name = run + 1;
                from = name;
                while (from < line && !is_space(*from)) from++;
                sink.name(name, from);
                break;
            }
            from = run + 1;
        }
        from = line + 1;
    }
}

struct FastaCounts {
    int64_t sequences = 0, letters = 0, names = 0;
};

struct FastaCounter : FastaCounts {
    void letters(const uint8_t *from, const uint8_t *to) { FastaCounts::letters += to - from; }
    void name(const uint8_t *from, const uint8_t *to) {
        sequences++;
        names += to - from;
    }
};

struct FastaWriter {
    Fasta &fasta;
    FastaCounts at;

    void letters(const uint8_t *from, const uint8_t *to) {
        memcpy(fasta.letters.data() + at.letters, from, size_t(to - from));
        at.letters += to - from;
    }
    void name(const uint8_t *from, const uint8_t *to) {
        memcpy(fasta.names.data() + at.names, from, size_t(to - from));
        // Letters before the first description belong to its sequence.
        fasta.offsets[size_t(at.sequences)] = at.sequences == 0 ? 0 : at.letters;
        at.sequences++;
        at.names += to - from;
        fasta.name_offsets[size_t(at.sequences)] = at.names;
    }
};

// Where the pieces of a text begin, and where the last one ends. A piece begins with the first line
// that starts in it. It is empty if no line does: then it lies within a line of an earlier piece.
// Each search ends with its piece, because a sequence of any length may be on one line.
std::vector<const uint8_t *> piece_begins(const uint8_t *text, int64_t size, int threads) {
    const int64_t pieces = (size + kFastaPiece - 1) / kFastaPiece;
    std::vector<const uint8_t *> begins(size_t(pieces + 1), text + size);
    begins[0] = text;
    parallel_for(pieces, size / kBytesPerNanosecond, threads, Calls::kSeveral, [&](int64_t piece) {
        if (piece == 0) return;
        const int64_t first = piece * kFastaPiece;
        // Behind the last byte, a line would start in the next piece.
        const uint8_t *const last = text + std::min(first + kFastaPiece, size) - 1;
        const uint8_t *const newline = find(text + first - 1, last, '\n');
        begins[size_t(piece)] = newline < last ? newline + 1 : nullptr;
    });
    for (size_t piece = size_t(pieces); piece-- > 1;)
        if (!begins[piece]) begins[piece] = begins[piece + 1];
    return begins;
}

}  // namespace

Fasta parse_fasta(const uint8_t *text, int64_t size, int threads) {
    const std::vector<const uint8_t *> begins = piece_begins(text, size, threads);
    const int64_t pieces = int64_t(begins.size()) - 1;
    // Of each piece; then of all pieces before it.
    std::vector<FastaCounts> counts(size_t(pieces + 1));
    parallel_for(pieces, size / kBytesPerNanosecond, threads, Calls::kSeveral, [&](int64_t piece) {
        FastaCounter counter;
        scan(begins[size_t(piece)], begins[size_t(piece + 1)], counter);
        counts[size_t(piece + 1)] = counter;
    });
    for (size_t piece = 1; piece < counts.size(); piece++) {
        counts[piece].sequences += counts[piece - 1].sequences;
        counts[piece].letters += counts[piece - 1].letters;
        counts[piece].names += counts[piece - 1].names;
    }
    const FastaCounts total = counts.back();
    Fasta fasta;
    fasta.offsets.resize(size_t(total.sequences + 1));
    fasta.name_offsets.resize(size_t(total.sequences + 1));
    // Letters without any description belong to no sequence.
    fasta.offsets.back() = total.sequences > 0 ? total.letters : 0;
    fasta.letters = Buffer<uint8_t>(total.letters);
    fasta.names = Buffer<uint8_t>(total.names);
    parallel_for(pieces, size / kBytesPerNanosecond, threads, Calls::kSeveral, [&](int64_t piece) {
        FastaWriter writer = {fasta, counts[size_t(piece)]};
        scan(begins[size_t(piece)], begins[size_t(piece + 1)], writer);
    });
    return fasta;
}

}  // namespace gkl_shim::mem
