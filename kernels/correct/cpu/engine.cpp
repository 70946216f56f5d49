// Corrects reads in place.
#include <algorithm>
#include <vector>

#include "common/thread_pool.h"
#include "correct/cpu/read.h"
#include "correct/on_cpu.h"

namespace gkl_shim::correct {
namespace {

// Reads that one task corrects.
constexpr int64_t kReadsCorrected = 1024;

// Reads whose k-mers are prefetched together.
constexpr int kReadsAtOnce = 8;

// The approximate time of a thread for a base.
constexpr int64_t kCorrectNanoseconds = 3;

class Corrector {
   public:
    Corrector(const Settings &settings, const Spectrum &spectrum)
        : settings_(settings), spectrum_(spectrum.view()), read_(spectrum_) {}

    void correct(const Read *reads, int64_t count, Outcome *outcomes) {
        for (int64_t k = 0; k < count; k += kReadsAtOnce) {
            const int some = int(std::min<int64_t>(kReadsAtOnce, count - k));
            for (int r = 0; r < some; r++) prefetch(reads[k + r], r);
            for (int r = 0; r < some; r++) {
                const Read &read = reads[k + r];
                outcomes[k + r] = {kSolid, 0, read.length, 0};
                if (read.length < spectrum_.hasher.k)
                    outcomes[k + r].state = kShort;
                else if (!sampled_solid(r))
                    correct(read, outcomes + k + r);
            }
        }
    }

   private:
    // Hashes the k-mers that sampled_solid() looks up. A read with an N has none.
    void prefetch(const Read &read, int r) {
        std::vector<uint64_t> &hashes = hashes_[r];
        hashes.clear();
        const Hasher &hasher = spectrum_.hasher;
        const int last = read.length - hasher.k;
        if (last < 0) return;
        uint8_t letters = 0;
        for (int p = 0; p < read.length; p++) letters |= read.letters[p];
        if (letters & kBitOfN) return;
        for (int at = 0;; at = std::min(at + sample_step(hasher.k), last)) {
            const uint64_t hash =
                hasher.hash(canonical(hasher, kmer_at(read.letters + at, hasher.k)));
            hashes.push_back(hash);
            __builtin_prefetch(spectrum_.slots + spectrum_.home(hash));
            if (at == last) return;
        }
    }

    bool sampled_solid(int r) const {
        for (const uint64_t hash : hashes_[r])
            if (!spectrum_.is_solid_hash(hash)) return false;
        return !hashes_[r].empty();
    }

    void correct(const Read &read, Outcome *outcome) {
        read_.open(read);
        *outcome = corrected(read_, settings_.method, settings_.limits);
        if (outcome->state == kSolid) return;
        for (int p = 0; p < read.length; p++) {
            const uint32_t code = read_.code(p);
            if (code == code_of(read.letters[p])) continue;
            read.letters[p] = letter_of(code);
            outcome->changes++;
        }
    }

    const Settings settings_;
    const SpectrumView spectrum_;
    CpuRead read_;
    std::vector<uint64_t> hashes_[kReadsAtOnce];
};

}  // namespace

void correct_on_cpu(const Settings &settings, const Spectrum &spectrum, const Read *reads,
                    int64_t count, Outcome *outcomes) {
    int64_t bases = 0;
    for (int64_t k = 0; k < count; k++) bases += reads[k].length;
    parallel_for_ranges(
        count, kReadsCorrected, bases * kCorrectNanoseconds, settings.threads,
        [&](int64_t begin, int64_t end) {
            Corrector(settings, spectrum).correct(reads + begin, end - begin, outcomes + begin);
        });
}

}  // namespace gkl_shim::correct
