#include "mem/cuda/device_queries.h"

#include <algorithm>

#include "mem/cuda/work.h"

namespace gkl_shim {
namespace mem {

void DeviceQueries::take(const Chunk &chunk, const SequenceStarts &starts, int64_t before,
                         int64_t after) {
    const int64_t first = starts.sequence_at(chunk.begin);
    const int64_t last = starts.sequence_at(chunk.end - 1) + 1;
    begin_ = std::max(chunk.begin - before, starts[first]);
    end_ = std::min(chunk.end + after, starts[last]);
    cut_ = end_ < starts[last];
    starts_.assign(1, 0);
    for (int64_t query = first + 1; query < last; query++)
        starts_.push_back(uint32_t(starts[query] - begin_));
    // An end byte follows each query. If the text is cut, the last one is not a part of it.
    letters_ = end_ - begin_ - (last - first) + cut_;
    // In the reverse strand, the letters before the text are the last ones of the query.
    forward_ = begin_ - first;
    reversed_ = starts.offsets[last] - (begin_ - starts[first]) - letters_;
    sent_ = -1;
}

void DeviceQueries::make_text(Stream *stream, const TextSource &strand, int threads) {
    send(stream, strand.letters(), strand.is_reversed() ? reversed_ : forward_, threads);
    text_.place(*stream, begin_, end_, cut_);
    const int64_t queries = int64_t(starts_.size());
    const uint64_t letters = memory_.address() + uint64_t(queries) * 4;
    LetterWork work = {reinterpret_cast<const uint32_t *>(memory_.address()),
                       queries,
                       letters_ + queries,
                       reinterpret_cast<const uint8_t *>(letters),
                       strand.is_reversed(),
                       strand.table(),
                       text_.letters(),
                       text_.letter_bytes()};
    void *parameters[] = {&work};
    stream->launch(stream->kernels.make_letters, (work.bytes + kRun - 1) / kRun * kWarp,
                   parameters);
    text_.encode(*stream);
}

void DeviceQueries::send(Stream *stream, const uint8_t *letters, int64_t first, int threads) {
    if (first == sent_) return;
    const int64_t bytes = int64_t(starts_.size()) * 4;
    memory_.grow(stream->driver, stream->stream, bytes + letters_);
    stream->sender.begin(memory_.address(), bytes + letters_);
    stream->sender.copy(reinterpret_cast<const uint8_t *>(starts_.data()), bytes, threads);
    stream->sender.copy(letters + first, letters_, threads);
    stream->sender.end();
    sent_ = first;
}

void DeviceQueries::free(const CudaDriver &driver) {
    memory_.free(driver);
    text_.free(driver);
}

}  // namespace mem
}  // namespace gkl_shim
