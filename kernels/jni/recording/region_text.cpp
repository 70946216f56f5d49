#include "region_text.h"

#include <vector>

#include "hmm/letters.h"
#include "jni/settings/log.h"

namespace gkl_shim::jni {
namespace {

constexpr int kHighestPrintable = 93;

// Returns the number of bases that are written as another letter.
int64_t append_bases(const uint8_t *bases, int64_t length, std::string *text) {
    std::vector<uint8_t> letters(size_t(length), 0);
    hmm::encode(true, bases, length, letters.data());
    int64_t others = 0;
    for (int64_t i = 0; i < length; i++) {
        const char name = hmm::kNames[letters[size_t(i)]];
        others += uint8_t(name) != bases[i];
        *text += name;
    }
    return others;
}

// `bits` are those of a quality that the engine uses. Returns the number of qualities too large to
// be printed.
int64_t append_quals(const uint8_t *quals, int64_t length, int bits, std::string *text) {
    int64_t capped = 0;
    for (int64_t i = 0; i < length; i++) {
        const int quality = quals[i] & bits;
        capped += quality > kHighestPrintable;
        *text += char((quality > kHighestPrintable ? kHighestPrintable : quality) + 33);
    }
    return capped;
}

}  // namespace

void append_region(const gkl_shim_pairhmm_batch &region, const uint8_t *haplotype_flags,
                   std::string *to, Replaced *replaced) {
    const int bits = haplotype_flags == nullptr ? 127 : 255;
    const int64_t reads = region.region_reads[1], haplotypes = region.region_haplotypes[1];
    std::string &text = *to;
    text += format("%lld %lld\n", (long long)reads, (long long)haplotypes);
    int64_t others = 0;
    for (int64_t r = 0; r < reads; r++) {
        const int64_t start = region.read_offsets[r];
        const int64_t length = region.read_offsets[r + 1] - start;
        others += append_bases(region.read_bases + start, length, &text);
        for (const uint8_t *track : {region.base_quals, region.insertion_quals,
                                     region.deletion_quals, region.continuation_quals}) {
            text += ' ';
            replaced->quals += append_quals(track + start, length, bits, &text);
        }
        text += '\n';
    }
    for (int64_t h = 0; h < haplotypes; h++) {
        const int64_t start = region.haplotype_offsets[h];
        const int64_t length = region.haplotype_offsets[h + 1] - start;
        others += append_bases(region.haplotype_bases + start, length, &text);
        if (haplotype_flags != nullptr) {
            text += ' ';
            for (int64_t k = 0; k < length; k++) text += format("%02x", haplotype_flags[start + k]);
        }
        text += '\n';
    }
    if (haplotype_flags != nullptr) replaced->letters += others;
}

}  // namespace gkl_shim::jni
