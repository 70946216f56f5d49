// How a read is corrected. Both engines run this code, and so write the same reads.
//
// An engine gives it a class WorkingRead, which holds the codes of one read's bases, and for each
// k-mer whether it is weak: not in the spectrum. This class does what can be done for many k-mers
// at once, the CPU's in a loop, a GPU's in the lanes of a warp.
//
// The default method looks for the most likely changes. It starts from the longest run of solid
// k-mers and extends it to the right, then to the left. Where the next k-mer is weak, the base that
// this k-mer adds must be wrong. Each other base is tried: how many of the k-mers that contain it
// become solid, up to the next weak one? k/2 of them confirm the change, or all if the read ends
// before. If fewer do, there is another error, and the search goes on there. If this finds nothing,
// the wrong base may lie before: k-mers that end with it may be solid, because another copy of a
// repeat has this base. So bases of low quality before are tried, too.
//
// A change of a base with a higher quality costs more. The cheapest changes win. Among equally
// cheap ones, those after which more k-mers are solid win, then those of the bases of lowest
// quality. If several ways are equally good, only the changes that they begin with in common are
// made. An extension that cannot go on leaves the rest to the next run of solid k-mers, which is
// extended to meet it. What no extension reaches stays as it was.
#pragma once

#include "correct/model.h"

namespace gkl_shim::correct {

enum Method { kSearch = 0, kVoting = 1 };

// Most reads have no error. So only k-mers at this distance, which cover all bases of a read, are
// looked up first. If all are solid, the read is taken for solid, and no other k-mer is looked up.
GKL_SHIM_METHOD int sample_step(int k) { return k / 2; }

// A change is confirmed by this number of solid k-mers in a row that contain it, or by all of them
// at the end of a read. With more, reads with many errors stay unsolved; with fewer, more right
// bases of repeats are changed.
GKL_SHIM_METHOD int confirming(int k) { return k / 2; }

// What became of a read.
enum State : uint8_t {
    kSolid = 0,      // the k-mers that were looked up, which cover all bases, are solid
    kCorrected = 1,  // it was changed, and all its k-mers are solid now
    kUnsolved = 2,   // some k-mers are still weak
    kShort = 3       // it has no k-mer
};

// How well a base was read: low is below 7/8 of the mean of the read's qualities, high above it.
enum Class { kLow = 0, kMiddle = 1, kHigh = 2 };

// The most that the changes cost that the search makes at once.
constexpr int kMaxCost = 16;
GKL_SHIM_METHOD int cost_of(Class quality) {
    return quality == kHigh ? 6 : quality == kMiddle ? 2 : 1;
}

// The most bases that the search tries for one weak k-mer. Sequences of few different k-mers have
// too many ways.
constexpr int kMaxTried = 1000;

// The most changes of a read, unless the caller sets another limit.
GKL_SHIM_METHOD int default_limit(int length) { return 2 + length / 10; }

// A read gets few changes within this number of bases, because copies of a repeat and alleles
// differ by true bases of high quality. A change of a base of high quality counts as two, and one
// of low quality does not count.
constexpr int kWindow = 20, kMaxInWindow = 4;

struct Limits {
    int32_t changes;         // of a read; 0 means default_limit()
    int32_t in_window;       // 0 means kMaxInWindow
    int32_t all_or_nothing;  // if not 0, a read that stays unsolved gets no change at all

    GKL_SHIM_METHOD int of(int length) const {
        return changes > 0 ? changes : default_limit(length);
    }
    GKL_SHIM_METHOD int of_window() const { return in_window > 0 ? in_window : kMaxInWindow; }
};

// A base of a read and what to change it to.
struct Change {
    int32_t position;
    uint32_t base;
};

// WorkingRead has:
//   int length() const, kmers() const, k() const
//   uint32_t code(int position) const; void set_code(int position, uint32_t base)
//   uint32_t original(int position) const   the code before any change
//   uint32_t quality(int position) const; uint64_t total_quality() const   of all bases
//   int next_weak(int from) const, next_solid(int from) const   the first such k-mer, or kmers()
//   int last_weak(int from) const, last_solid(int from) const   from `from` down, or -1
//   void set_solid(int first, int last)     these k-mers are not weak any more
//   void find_weak()                        looks up all k-mers
//   uint32_t solid_bases(int position, int direction)
//       which other bases at this position make a k-mer solid: the one in which this base is the
//       last (direction 1) or the first (-1); a bit for each base
//   int run(Change, int direction, int most)
//       how many k-mers in a row are solid if the base is changed, starting with that k-mer, which
//       must be solid then: of those that contain the base
//   bool is_repeated(int position)   whether all k-mers that contain a base are solid or repeated;
//       then other reads have this base as well
//   bool vote(Change *)   the change with the most votes; false if no k-mer votes

template <class WorkingRead>
GKL_SHIM_METHOD Class class_of(const WorkingRead &read, int position, uint64_t total) {
    const uint64_t quality = uint64_t(read.quality(position)) * uint64_t(read.length());
    return quality > total ? kHigh : quality * 8 < total * 7 ? kLow : kMiddle;
}

// Whether a window that has a base of [first, last] has too many changes. The replacement of an N
// does not count, because it overwrites no base.
template <class WorkingRead>
GKL_SHIM_METHOD bool crowded(const WorkingRead &read, const Limits &limits, int first, int last) {
    const int begin = first < kWindow ? 0 : first - kWindow + 1;
    const int end = last + kWindow < read.length() ? last + kWindow : read.length();
    const uint64_t total = read.total_quality();
    const auto weight = [&read, total](int p) {
        const uint32_t original = read.original(p);
        return original == kUnknown || original == read.code(p) ? 0 : int(class_of(read, p, total));
    };
    int changes = 0;
    GKL_SHIM_ROLLED
    for (int p = begin; p < end; p++) {
        changes += weight(p);
        if (p - kWindow >= begin) changes -= weight(p - kWindow);
        if (changes > limits.of_window()) return true;
    }
    return false;
}

// Makes the change that most k-mers vote for. Returns false if there is none, or if it is too many
// for its window.
template <class WorkingRead>
GKL_SHIM_METHOD bool change_by_vote(WorkingRead &read, const Limits &limits) {
    Change change;
    if (!read.vote(&change)) return false;
    const uint32_t before = read.code(change.position);
    read.set_code(change.position, change.base);
    if (!crowded(read, limits, change.position, change.position)) return true;
    read.set_code(change.position, before);
    return false;
}

template <class WorkingRead>
class Search {
   public:
    GKL_SHIM_METHOD Search(WorkingRead &read, const Limits &limits)
        : read_(read),
          limits_(limits),
          left_(limits.of(read.length())),
          enough_(confirming(read.k())) {}

    // Expects a read with a k-mer, and weak k-mers found. Returns the read's state.
    GKL_SHIM_METHOD State correct() {
        const int kmers = read_.kmers();
        if (read_.next_weak(0) == kmers) return kSolid;
        if (read_.next_solid(0) == kmers) {
            if (!change_by_vote(read_, limits_)) return kUnsolved;
            left_--;
            read_.find_weak();
            if (read_.next_solid(0) == kmers) return kUnsolved;
        }
        int first = 0, last = -1;
        for (int from = read_.next_solid(0); from < kmers;) {
            const int to = read_.next_weak(from);
            if (to - from > last - first + 1) {
                first = from;
                last = to - 1;
            }
            from = read_.next_solid(to);
        }
        GKL_SHIM_ROLLED
        for (int direction = 1; direction >= -1; direction -= 2) extend_all(last, direction);
        return read_.next_weak(0) == kmers ? kCorrected : kUnsolved;
    }

   private:
    // The first k-mer of a kind, from a k-mer on in a direction.
    GKL_SHIM_METHOD int weak_from(int from, int direction) const {
        return direction > 0 ? read_.next_weak(from) : read_.last_weak(from);
    }
    GKL_SHIM_METHOD int solid_from(int from, int direction) const {
        return direction > 0 ? read_.next_solid(from) : read_.last_solid(from);
    }
    // Whether one was found.
    GKL_SHIM_METHOD bool is_kmer(int at) const { return at >= 0 && at < read_.kmers(); }

    // Corrects everything from a solid k-mer on in a direction. Where the extension stops, the next
    // run of solid k-mers is extended back, to meet it.
    GKL_SHIM_METHOD void extend_all(int solid, int direction) {
        int weak = weak_from(solid, direction), stopped = weak, next = solid;
        bool back = false;
        GKL_SHIM_ROLLED
        while (is_kmer(weak)) {
            const int to = back ? -direction : direction;
            if (extend(weak, to)) {
                weak = weak_from(weak, to);
                if (!back || (weak - stopped) * direction >= 0) continue;
            } else if (!back) {
                stopped = weak;
                next = solid_from(weak, direction);
                if (!is_kmer(next)) return;
                weak = next - direction;
                back = true;
                continue;
            }
            weak = weak_from(solid_from(next, direction), direction);
            back = false;
        }
    }

    // Makes the cheapest changes after which the weak k-mer and all others that contain a changed
    // base are solid. The k-mer beside it, against the direction, is solid. Returns whether
    // anything was changed.
    //
    // There is one call of each function, to keep a GPU's code small.
    GKL_SHIM_METHOD bool extend(int weak, int direction) {
        const int k = read_.k();
        total_quality_ = read_.total_quality();
        tried_ = 0;
        GKL_SHIM_ROLLED
        for (int limit = 1; limit <= kMaxCost; limit = next_limit_) {
            next_limit_ = kMaxCost + 1;
            const int ways = explore(direction > 0 ? weak + k - 1 : weak, direction, limit);
            if (tried_ == kMaxTried) return false;
            if (ways == 0) continue;
            const int changes = ways == 1 ? best_changes_ : common_;
            if (changes == 0 || !make_best(changes)) return false;
            left_ -= changes;
            const int first = kmer_of(best_[0].position, direction);
            const int end = best_[changes - 1].position;
            if (ways > 1 || run_ < reach(end, direction))
                read_.find_weak();  // k-mers behind these contain the change, too
            else if (direction > 0)
                read_.set_solid(first, end + run_ - k);
            else
                read_.set_solid(end - run_ + 1, first);
            return true;
        }
        return false;
    }

    // The k-mer that adds a base.
    GKL_SHIM_METHOD int kmer_of(int position, int direction) const {
        return direction > 0 ? position - read_.k() + 1 : position;
    }

    // Makes the best changes, unless there would be too many in a window.
    GKL_SHIM_METHOD bool make_best(int changes) {
        uint32_t before[kMaxCost];
        GKL_SHIM_ROLLED
        for (int d = 0; d < changes; d++) {
            before[d] = read_.code(best_[d].position);
            read_.set_code(best_[d].position, best_[d].base);
        }
        // A change counts as two at most.
        const int made = limits_.of(read_.length()) - left_ + changes;
        if (2 * made <= limits_.of_window()) return true;
        const int one = best_[0].position, other = best_[changes - 1].position;
        if (!crowded(read_, limits_, one < other ? one : other, one < other ? other : one))
            return true;
        GKL_SHIM_ROLLED
        for (int d = 0; d < changes; d++) read_.set_code(best_[d].position, before[d]);
        return false;
    }

    // How many k-mers contain a base, of those that the direction leads to.
    GKL_SHIM_METHOD int reach(int position, int direction) const {
        const int bases = direction > 0 ? read_.length() - position : position + 1;
        return bases < read_.k() ? bases : read_.k();
    }

    // A change of a way.
    struct Step {
        int32_t weak;      // the base that the weak k-mer adds
        int32_t position;  // the base to change: this one or one before it
        uint32_t untried;  // bases that it may become, a bit each, or kToLookUp
        uint32_t before, base;
        int32_t cost;      // of the way up to here
        uint32_t quality;  // the sum up to here
    };
    static constexpr uint32_t kToLookUp = 16;

    // Tries all ways of exactly this cost. Returns how many are equally good. This is a depth-first
    // search without recursion.
    GKL_SHIM_METHOD int explore(int start, int direction, int limit) {
        Step way[kMaxCost];
        const int most = left_ < kMaxCost ? left_ : kMaxCost;
        int ways = 0, depth = 0;
        uint32_t best = 0;
        if (most == 0) return 0;
        way[0] = {start, start, kToLookUp, 0, 0, 0, 0};
        for (;;) {
            Step &step = way[depth];
            const int back = (step.weak - step.position) * direction;
            if (step.untried == kToLookUp) {
                const Class quality = class_of(read_, step.position, total_quality_);
                step.before = read_.code(step.position);
                step.cost = (depth > 0 ? way[depth - 1].cost : 0) + cost_of(quality);
                step.quality =
                    (depth > 0 ? way[depth - 1].quality : 0) + read_.quality(step.position);
                step.untried = 0;
                const bool may = may_be_wrong(quality, back, depth) && tried_ < kMaxTried &&
                                 !(quality == kHigh && read_.is_repeated(step.position));
                if (may && step.cost > limit) {
                    if (step.cost < next_limit_) next_limit_ = step.cost;
                } else if (may) {
                    tried_++;
                    step.untried = read_.solid_bases(step.position, direction);
                }
            }
            if (step.untried == 0) {
                const int position = step.position - direction;
                if (ways == 0 && back + 1 < read_.k() && is_kmer(kmer_of(position, direction)) &&
                    (depth == 0 || position != way[depth - 1].position)) {
                    step.position = position;
                    step.untried = kToLookUp;
                    continue;
                }
                if (depth == 0) return ways;
                depth--;
                read_.set_code(way[depth].position, way[depth].before);
                continue;
            }
            const uint32_t untried = step.untried;
            step.base = untried & 1 ? 0 : untried & 2 ? 1 : untried & 4 ? 2 : 3;
            step.untried &= untried - 1;
            const int containing = reach(step.position, direction);
            const int run = read_.run({step.position, step.base}, direction, containing);
            const int enough = containing < enough_ ? containing : enough_;
            // Solid k-mers must not become weak.
            if (run < back) continue;
            if (back > 0 && run < containing &&
                class_of(read_, step.position, total_quality_) != kLow)
                continue;
            if (run >= enough && run > back) {
                if (ways == 0 || run > run_ || (run == run_ && step.quality < best)) {
                    ways = 1;
                    best = step.quality;
                    run_ = run;
                    best_changes_ = common_ = depth + 1;
                    GKL_SHIM_ROLLED
                    for (int d = 0; d <= depth; d++) best_[d] = {way[d].position, way[d].base};
                } else if (run == run_ && step.quality == best) {
                    ways++;
                    int same = 0;
                    while (same < common_ && same <= depth &&
                           best_[same].position == way[same].position &&
                           best_[same].base == way[same].base)
                        same++;
                    common_ = same;
                }
            } else if (depth + 1 < most) {
                read_.set_code(step.position, step.base);
                const int next = step.position + direction * run;
                depth++;
                way[depth] = {next, next, kToLookUp, 0, 0, 0, 0};
            }
        }
    }

    // Whether a base may be wrong although `back` k-mers that contain it are solid. If its quality
    // is not low, it is changed alone, all k-mers that contain it must become solid, and a quarter
    // of them must be weak.
    GKL_SHIM_METHOD bool may_be_wrong(Class quality, int back, int depth) const {
        return back == 0 || quality == kLow ||
               (quality == kMiddle && depth == 0 && 4 * back <= 3 * read_.k());
    }

    WorkingRead &read_;
    const Limits &limits_;
    int left_;          // changes that the read may still get
    const int enough_;  // k-mers in a row that confirm a change
    // What explore() found: the best way, how many changes of it, how many of these all ways begin
    // with, and the k-mers that confirm its last change.
    Change best_[kMaxCost];
    int best_changes_ = 0, common_ = 0, run_ = 0;
    int next_limit_ = 0;          // the least cost of a way over the limit
    int tried_ = 0;               // bases
    uint64_t total_quality_ = 0;  // of the read
};

// CUDA-EC's loop: make the change with the most votes until all k-mers are solid.
template <class WorkingRead>
GKL_SHIM_METHOD State correct_by_voting(WorkingRead &read, const Limits &limits) {
    const int kmers = read.kmers();
    if (read.next_weak(0) == kmers) return kSolid;
    for (int left = limits.of(read.length()); left > 0; left--) {
        if (!change_by_vote(read, limits)) return kUnsolved;
        read.find_weak();
        if (read.next_weak(0) == kmers) return kCorrected;
    }
    return kUnsolved;
}

// Corrects a read. Expects one with a k-mer, and weak k-mers found.
template <class WorkingRead>
GKL_SHIM_METHOD State correct_read(WorkingRead &read, Method method, const Limits &limits) {
    const State state = method == kVoting ? correct_by_voting(read, limits)
                                          : Search<WorkingRead>(read, limits).correct();
    if (state == kUnsolved && limits.all_or_nothing) {
        GKL_SHIM_ROLLED
        for (int p = 0; p < read.length(); p++) read.set_code(p, read.original(p));
        read.find_weak();
    }
    return state;
}

}  // namespace gkl_shim::correct
