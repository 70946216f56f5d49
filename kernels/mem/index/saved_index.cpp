#include "mem/index/saved_index.h"

#include <string.h>

#include <algorithm>
#include <utility>

#include "common/error.h"

namespace gkl_shim::mem {
namespace {

// The file is the head, the starts of the sequences, the letters, and the arrays of each page. All
// of the head are 64-bit numbers: these, and then the number of positions of each kept page.
enum Head {
    kMagic,
    kChecksum,  // of everything after it
    kMinLength,
    kNucleotidesOnly,
    kMemory,
    kSequences,
    kSize,
    kSeedLetters,
    kBits,
    kOddBits,
    kReferenceStep,
    kQueryStep,
    kPageLetters,
    kResidentPages,
    kHeadSize
};

// "gklmem" and the version of the format.
const int64_t kMagicNumber = 0x00016D656D6C6B67;

int64_t checksum(const std::vector<gkl_shim_mem_piece> &pieces, int64_t skipped) {
    uint64_t sum = 0;
    for (const gkl_shim_mem_piece &piece : pieces) {
        int64_t at = std::min(skipped, piece.size);
        skipped -= at;
        for (; at + 8 <= piece.size; at += 8) sum = mixed(sum ^ word_at(piece.bytes + at));
        for (; at < piece.size; at++) sum = mixed(sum ^ piece.bytes[at]);
        sum = mixed(sum ^ uint64_t(piece.size));
    }
    return int64_t(sum);
}

template <class T>
gkl_shim_mem_piece piece_of(const T *data, int64_t count) {
    return {reinterpret_cast<const uint8_t *>(data), count * int64_t(sizeof(T))};
}

struct Reader {
    const uint8_t *bytes;
    int64_t left;
    std::vector<gkl_shim_mem_piece> pieces = {};

    // Copies the next `count` elements.
    template <class T>
    void read(T *to, int64_t count) {
        pieces.push_back({bytes, count * int64_t(sizeof(T))});
        if (count > 0) memcpy(to, bytes, size_t(pieces.back().size));
        bytes += pieces.back().size;
        left -= pieces.back().size;
    }
    template <class T>
    bool has(int64_t count) const {
        return count >= 0 && count <= left / int64_t(sizeof(T));
    }
};

void require(bool good) {
    if (!good)
        check(invalid(
            "the bytes are not an index that this version of gkl-shim saved; save it again"));
}

// Whether the bucket starts and the positions stay within the page.
bool is_sound(const Page &page) {
    const int64_t buckets = page.starts.size() - 1;
    uint32_t most = 0;
    bool sound = page.starts[buckets] == page.positions.size();
    for (int64_t k = 0; k < buckets; k++) sound &= page.starts[k] <= page.starts[k + 1];
    for (int64_t k = 0; k < page.positions.size(); k++) most = std::max(most, page.positions[k]);
    return sound && (page.positions.size() == 0 || most < page.last - page.first);
}

}  // namespace

const std::vector<gkl_shim_mem_piece> &SavedIndex::pieces(const Index &index) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!pieces_.empty()) return pieces_;
    const Reference &reference = index.reference();
    const Seeds &seeds = index.seeds();
    starts_.clear();
    for (int64_t k = 0; k <= reference.count(); k++) starts_.push_back(reference.starts()[k]);
    head_.assign(kHeadSize, 0);
    head_[kMagic] = kMagicNumber;
    head_[kMinLength] = index.settings().min_length;
    head_[kNucleotidesOnly] = index.settings().nucleotides_only;
    head_[kMemory] = index.settings().memory;
    head_[kSequences] = reference.count();
    head_[kSize] = reference.size();
    head_[kSeedLetters] = seeds.letters;
    head_[kBits] = seeds.bits;
    head_[kOddBits] = seeds.odd_bits;
    head_[kReferenceStep] = seeds.reference_step;
    head_[kQueryStep] = seeds.query_step;
    head_[kPageLetters] = index.page_letters();
    head_[kResidentPages] = int64_t(index.resident_pages().size());
    for (const Page &page : index.resident_pages()) head_.push_back(page.positions.size());
    std::vector<gkl_shim_mem_piece> pieces = {
        piece_of(head_.data(), kHeadSize),
        piece_of(head_.data() + kHeadSize, int64_t(head_.size()) - kHeadSize),
        piece_of(starts_.data(), int64_t(starts_.size())),
        piece_of(reference.text().letters, reference.size()),
    };
    for (const Page &page : index.resident_pages()) {
        pieces.push_back(piece_of(page.starts.data(), page.starts.size()));
        pieces.push_back(piece_of(page.positions.data(), page.positions.size()));
    }
    head_[kChecksum] = checksum(pieces, (kChecksum + 1) * 8);
    pieces_ = std::move(pieces);
    return pieces_;
}

Index load_index(const uint8_t *bytes, int64_t size, int threads) {
    Reader reader = {bytes, size};
    int64_t head[kHeadSize];
    require(reader.has<int64_t>(kHeadSize));
    reader.read(head, kHeadSize);
    require(head[kMagic] == kMagicNumber && reader.has<int64_t>(head[kResidentPages]));
    std::vector<int64_t> positions(static_cast<size_t>(head[kResidentPages]));
    reader.read(positions.data(), head[kResidentPages]);
    require(head[kSequences] >= 0 && head[kSequences] <= INT32_MAX &&
            reader.has<int64_t>(head[kSequences] + 1));
    std::vector<int64_t> starts(size_t(head[kSequences] + 1));
    reader.read(starts.data(), head[kSequences] + 1);
    require(starts.front() == 0 && starts.back() == head[kSize] &&
            reader.has<uint8_t>(head[kSize]));
    for (size_t k = 1; k < starts.size(); k++) require(starts[k - 1] < starts[k]);
    const uint8_t *letters = reader.bytes;
    reader.pieces.push_back({letters, head[kSize]});
    reader.bytes += head[kSize];
    reader.left -= head[kSize];
    const Seeds seeds = {int32_t(head[kSeedLetters]), int32_t(head[kBits]), int32_t(head[kOddBits]),
                         int32_t(head[kReferenceStep]), int32_t(head[kQueryStep])};
    const int64_t page_letters = head[kPageLetters];
    require(head[kMinLength] >= 1 && head[kMemory] >= 0 && seeds.letters >= 1 &&
            seeds.letters <= kMaxSeedLetters && seeds.bits >= 1 &&
            seeds.bits <= 2 * seeds.letters && seeds.bits <= kMaxBits && seeds.odd_bits >= -1 &&
            seeds.odd_bits <= seeds.bits && seeds.reference_step >= 1 && seeds.query_step >= 1 &&
            page_letters >= 1 && page_letters <= kMaxPageLetters &&
            seeds.reference_step <= head[kMinLength] - seeds.letters + 1);
    Reference reference(letters, std::move(starts), threads);
    std::vector<Page> pages;
    for (const int64_t count : positions) {
        Page page = page_at(reference, page_letters, int64_t(pages.size()));
        require(page.first < std::max<int64_t>(reference.size(), 1));
        require(reader.has<uint32_t>(seeds.buckets() + 1));
        page.starts = Buffer<uint32_t>(seeds.buckets() + 1);
        reader.read(page.starts.data(), seeds.buckets() + 1);
        require(reader.has<uint32_t>(count));
        page.positions = Buffer<uint32_t>(count);
        reader.read(page.positions.data(), count);
        require(is_sound(page));
        pages.push_back(std::move(page));
    }
    require(reader.left == 0);
    // tests/fuzz does without the checksum, which random bytes do not have.
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    require(checksum(reader.pieces, (kChecksum + 1) * 8) == head[kChecksum]);
#endif
    gkl_shim_mem_options settings = {};
    settings.threads = threads;
    settings.nucleotides_only = head[kNucleotidesOnly] != 0;
    settings.min_length = head[kMinLength];
    settings.page_letters = page_letters;
    settings.memory = head[kMemory];
    Index index(settings, std::move(reference), seeds, page_letters, std::move(pages));
    require(index.resident() || positions.empty());
    return index;
}

bool is_of(const Index &index, const gkl_shim_mem_sequences &sequences) {
    const Reference &reference = index.reference();
    if (reference.count() != sequences.count) return false;
    for (int64_t k = 0; k < reference.count(); k++)
        if (reference.starts()[k] != sequences.offsets[k] + k) return false;
    const Reference given(index.settings().nucleotides_only, sequences.letters, sequences.offsets,
                          sequences.count, index.threads(), false);
    return given.size() == reference.size() &&
           memcmp(given.text().letters, reference.text().letters, size_t(given.size())) == 0;
}

}  // namespace gkl_shim::mem
