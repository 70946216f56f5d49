// One read for search.h, on the CPU.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <vector>

#include "correct/reads.h"
#include "correct/search.h"

namespace gkl_shim::correct {

class CpuRead {
   public:
    explicit CpuRead(const SpectrumView &spectrum) : spectrum_(spectrum) {}

    // Expects a read with a k-mer. Its letters must stay as they are until the read is corrected.
    void open(const Read &read) {
        length_ = read.length;
        kmers_ = length_ - k() + 1;
        letters_ = read.letters;
        qualities_ = read.qualities;
        codes_.resize(size_t(length_));
        for (int p = 0; p < length_; p++) codes_[size_t(p)] = uint8_t(code_of(read.letters[p]));
        find_weak();
    }

    int length() const { return length_; }
    int kmers() const { return kmers_; }
    int k() const { return spectrum_.hasher.k; }
    uint32_t code(int position) const { return codes_[size_t(position)]; }
    void set_code(int position, uint32_t base) { codes_[size_t(position)] = uint8_t(base); }
    uint32_t original(int position) const { return code_of(letters_[position]); }
    // N has no quality, whatever the file says.
    uint32_t quality(int position) const {
        return qualities_ && code(position) != kUnknown ? qualities_[position] : 0;
    }
    uint64_t total_quality() const {
        uint64_t total = 0;
        for (int p = 0; p < length_; p++) total += quality(p);
        return total;
    }

    int next_weak(int from) const { return next(from, 1); }
    int next_solid(int from) const { return next(from, 0); }
    int last_weak(int from) const { return last(from, 1); }
    int last_solid(int from) const { return last(from, 0); }
    void set_solid(int first, int last) {
        std::fill(weak_.begin() + first, weak_.begin() + last + 1, uint8_t(0));
    }

    void find_weak() {
        weak_.assign(size_t(kmers_), 1);
        hashes_.resize(size_t(kmers_));
        const Hasher &hasher = spectrum_.hasher;
        Roller roller;
        int bases = 0;
        for (int p = 0; p < length_; p++) {
            const uint32_t base = codes_[size_t(p)];
            bases = base == kUnknown ? 0 : bases + 1;
            roller.push(hasher, base & 3);
            const int at = p - k() + 1;
            if (at < 0) continue;
            weak_[size_t(at)] = bases < k() ? kNoKmer : 1;
            const uint64_t hash = hasher.hash(roller.canonical());
            hashes_[size_t(at)] = hash;
            __builtin_prefetch(spectrum_.slots + spectrum_.home(hash));
        }
        for (int at = 0; at < kmers_; at++)
            weak_[size_t(at)] =
                weak_[size_t(at)] == kNoKmer || !spectrum_.is_solid_hash(hashes_[size_t(at)]);
    }

    uint32_t solid_bases(int position, int direction) const {
        const Hasher &hasher = spectrum_.hasher;
        // The k-mer with A at this place. Another base adds its bits, as does its complement.
        Roller roller;
        if (!roll(&roller, {position, 0}, direction)) return 0;
        const int first = 2 * k() - 2;
        uint64_t hashes[4];
        for (uint64_t base = 0; base < 4; base++) {
            const uint64_t forward = roller.forward ^ base << (direction > 0 ? 0 : first);
            const uint64_t reverse = roller.reverse ^ base << (direction > 0 ? first : 0);
            hashes[base] = hasher.hash(std::min(forward, reverse));
            __builtin_prefetch(spectrum_.slots + spectrum_.home(hashes[base]));
        }
        uint32_t bases = 0;
        for (uint32_t base = 0; base < 4; base++)
            if (base != code(position) && spectrum_.is_solid_hash(hashes[base]))
                bases |= 1u << base;
        return bases;
    }

    int run(const Change &change, int direction, int most) const {
        const Hasher &hasher = spectrum_.hasher;
        Roller roller;
        roll(&roller, change, direction);
        for (int solid = 1; solid < most; solid++) {
            const uint32_t base = code(change.position + direction * solid);
            if (base == kUnknown) return solid;
            if (direction > 0)
                roller.push(hasher, base);
            else
                roller.push_front(hasher, base);
            if (!spectrum_.is_solid(roller.canonical())) return solid;
        }
        return most;
    }

    bool is_repeated(int position) const {
        Roller roller;
        const int last = std::min(position + k(), length_);
        int bases = 0;
        for (int p = std::max(position - k() + 1, 0); p < last; p++) {
            if (code(p) == kUnknown) return false;
            roller.push(spectrum_.hasher, code(p));
            if (++bases >= k() && !spectrum_.is_solid_or_repeated(roller.canonical())) return false;
        }
        return true;
    }

    // Every weak k-mer votes for each change of a base that makes it solid.
    bool vote(Change *best) {
        votes_.assign(size_t(length_) * 4, 0);
        for (int at = next_weak(0); at < kmers_; at = next_weak(at + 1)) {
            uint64_t kmer = 0;
            int unknown = -1, unknowns = 0;
            for (int p = at; p < at + k(); p++) {
                if (code(p) == kUnknown) {
                    unknown = p;
                    unknowns++;
                }
                kmer = kmer << 2 | (code(p) & 3);
            }
            if (unknowns > 1) continue;
            for (int p = at; p < at + k(); p++) {
                if (unknowns == 1 && p != unknown) continue;
                const int shift = 2 * (at + k() - 1 - p);
                for (uint32_t base = 0; base < 4; base++) {
                    if (base == code(p)) continue;
                    const uint64_t changed = (kmer & ~(uint64_t(3) << shift)) | uint64_t(base)
                                                                                    << shift;
                    if (spectrum_.is_solid(canonical(spectrum_.hasher, changed)))
                        votes_[size_t(p) * 4 + base]++;
                }
            }
        }
        const auto most = std::max_element(votes_.begin(), votes_.end());
        if (*most == 0) return false;
        const int64_t index = most - votes_.begin();
        *best = {int32_t(index / 4), uint32_t(index % 4)};
        return true;
    }

   private:
    static constexpr uint8_t kNoKmer = 2;

    // Makes the k-mer with a change in its last base (direction 1) or its first (-1). Returns
    // whether it has no N.
    bool roll(Roller *roller, const Change &change, int direction) const {
        const int start = direction > 0 ? change.position - k() + 1 : change.position;
        for (int p = start; p < start + k(); p++) {
            const uint32_t base = p == change.position ? change.base : code(p);
            if (base == kUnknown) return false;
            roller->push(spectrum_.hasher, base);
        }
        return true;
    }

    int next(int from, uint8_t kind) const {
        while (from < kmers_ && weak_[size_t(from)] != kind) from++;
        return from;
    }
    int last(int from, uint8_t kind) const {
        while (from >= 0 && weak_[size_t(from)] != kind) from--;
        return from;
    }

    const SpectrumView spectrum_;
    int length_ = 0, kmers_ = 0;
    const uint8_t *letters_ = nullptr, *qualities_ = nullptr;
    std::vector<uint8_t> codes_, weak_;
    std::vector<uint64_t> hashes_;
    std::vector<int32_t> votes_;
};

}  // namespace gkl_shim::correct
