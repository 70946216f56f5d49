#include "mem/fasta.h"

#include <string.h>

#include <algorithm>

#include "common/thread_pool.h"

namespace gkl_shim {
namespace mem {
namespace {

const int64_t kFastaPiece = int64_t(1) << 18;
const int64_t kBytesPerNanosecond = 2;

bool is_space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

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

// Where pieces of the text begin, and its end. A piece has at least kFastaPiece bytes, and begins
// at the beginning of a line: elsewhere, it would not know whether it is in a description.
std::vector<const uint8_t *> pieces_of(const uint8_t *text, int64_t size) {
    const uint8_t *const end = text + size;
    std::vector<const uint8_t *> begins = {text};
    while (end - begins.back() > kFastaPiece) {
        const uint8_t *line = find(begins.back() + kFastaPiece - 1, end, '\n');
        if (end - line <= 1) break;
        begins.push_back(line + 1);
    }
    begins.push_back(end);
    return begins;
}

struct FastaJob {
    const std::vector<const uint8_t *> begins;
    std::vector<FastaCounts> counts;  // of each piece; then of all pieces before it
    Fasta fasta;

    template <class Sink>
    void scan_piece(int64_t piece, Sink &sink) const {
        scan(begins[size_t(piece)], begins[size_t(piece + 1)], sink);
    }
};

}  // namespace

Fasta parse_fasta(const uint8_t *text, int64_t size, int threads) {
    FastaJob job = {pieces_of(text, size), {}, {}};
    const int64_t pieces = int64_t(job.begins.size()) - 1;
    job.counts.resize(size_t(pieces + 1));
    const auto for_pieces = [&](void (*task)(void *, int64_t)) {
        parallel_for(pieces, size / kBytesPerNanosecond, threads, task, &job, true);
    };
    for_pieces([](void *context, int64_t piece) {
        FastaJob &job = *static_cast<FastaJob *>(context);
        FastaCounter counter;
        job.scan_piece(piece, counter);
        job.counts[size_t(piece + 1)] = counter;
    });
    for (size_t piece = 1; piece < job.counts.size(); piece++) {
        job.counts[piece].sequences += job.counts[piece - 1].sequences;
        job.counts[piece].letters += job.counts[piece - 1].letters;
        job.counts[piece].names += job.counts[piece - 1].names;
    }
    const FastaCounts total = job.counts.back();
    job.fasta.offsets.resize(size_t(total.sequences + 1));
    job.fasta.name_offsets.resize(size_t(total.sequences + 1));
    // Letters without any description are of no sequence.
    job.fasta.offsets.back() = total.sequences == 0 ? 0 : total.letters;
    job.fasta.letters = Buffer<uint8_t>(total.letters);
    job.fasta.names = Buffer<uint8_t>(total.names);
    for_pieces([](void *context, int64_t piece) {
        FastaJob &job = *static_cast<FastaJob *>(context);
        FastaWriter writer = {job.fasta, job.counts[size_t(piece)]};
        job.scan_piece(piece, writer);
    });
    return std::move(job.fasta);
}

}  // namespace mem
}  // namespace gkl_shim
