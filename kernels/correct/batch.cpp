#include "correct/batch.h"

#include <string.h>

#include "common/error.h"
#include "common/thread_pool.h"

namespace gkl_shim::correct {
namespace {

// The approximate time to check a read.
constexpr int64_t kCheckNanoseconds = 40;

bool check_lengths(const gkl_shim_correct_batch &batch, int threads) {
    const int64_t *const offsets = batch.offsets;
    if (!check_offsets("reads", offsets, batch.reads, threads)) return false;
    FirstIndex first;
    parallel_for_ranges(
        batch.reads, kReadsChecked, batch.reads, threads, [&](int64_t begin, int64_t end) {
            while (begin < end && offsets[begin + 1] - offsets[begin] <= kMaxReadLength) begin++;
            if (begin < end) first.add(begin);
        });
    const int64_t k = first.get();
    if (k < 0) return true;
    return fail("read %lld has %lld letters, more than %lld", (long long)k,
                (long long)(offsets[k + 1] - offsets[k]), (long long)kMaxReadLength);
}

// Makes the reads [begin, end) of a batch, whose letters are copied if `letters` is other memory.
void open_some(const gkl_shim_correct_batch &batch, int64_t begin, int64_t end, uint8_t *letters,
               Read *reads) {
    const int64_t first = batch.offsets[begin], count = batch.offsets[end] - first;
    if (letters != batch.letters && count > 0)
        memcpy(letters + first, batch.letters + first, size_t(count));
    for (int64_t k = begin; k < end; k++) {
        const int64_t at = batch.offsets[k];
        reads[k] = {letters + at, batch.qualities ? batch.qualities + at : nullptr,
                    int32_t(batch.offsets[k + 1] - at)};
    }
}

}  // namespace

bool CheckedReads::open(const gkl_shim_correct_batch *batch, uint8_t *copy, int threads) {
    if (!batch) return fail("batch is null");
    if (!check_count("reads", batch->reads)) return false;
    if (batch->reads == 0) return true;
    if (!check_lengths(*batch, threads)) return false;
    if (batch->offsets[batch->reads] > 0 && !batch->letters) return fail("the letters are null");
    reads_ = Buffer<Read>(batch->reads);
    Read *const reads = reads_.data();
    uint8_t *const letters = copy ? copy : const_cast<uint8_t *>(batch->letters);
    FirstIndex first;
    parallel_for_ranges(count(), kReadsChecked, count() * kCheckNanoseconds, threads,
                        [&](int64_t begin, int64_t end) {
                            open_some(*batch, begin, end, letters, reads);
                            add_wrong_read(reads, begin, end, &first);
                        });
    const int64_t wrong = first.get();
    if (wrong < 0) return true;
    const Read &read = reads[wrong];
    const int64_t at = wrong_letter(read.letters, read.length);
    return fail("read %lld: letter %lld is byte %d, not one of ACGTN", (long long)wrong,
                (long long)at, read.letters[at]);
}

}  // namespace gkl_shim::correct
