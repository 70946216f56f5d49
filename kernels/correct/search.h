// How a read is corrected. Both engines run this code, and so write the same reads.
//
// An engine gives it a class WorkingRead, which holds the codes of one read's bases, and for each
// k-mer whether it is weak: not in the spectrum. This class does what can be done for many k-mers
// at once, the CPU's in a loop, a GPU's in the lanes of a warp.
//
// The default method looks for the fewest changes. It starts from the longest run of solid k-mers
// and extends it to the right, then to the left. Where the next k-mer is weak, the base that this
// k-mer adds must be wrong. Each other base is tried: how many of the k-mers that contain it become
// solid, up to the next weak one? k/2 of them confirm the change, or all if the read ends before.
// If fewer do, there is another error, and the search goes on there. The fewest changes win; among
// these the way after which more k-mers are solid, then the bases of the lowest quality. If two
// ways are equally good, the base does not change. If no single change of this base is confirmed,
// or if it was read well, the wrong base may lie shortly before: k-mers that end with it may be
// solid, because another copy of a repeat has this base. An extension that cannot go on leaves the
// rest to the next run of solid k-mers, which is extended to meet it. What no extension reaches
// stays as it was.
#pragma once

#include "correct/model.h"

namespace gkl_shim {
namespace correct {

enum Method { kSearch = 0, kVoting = 1 };

// Most reads have no error. So only k-mers at this distance, which cover all bases of a read, are
// looked up first. If all are solid, the read is taken for solid, and no other k-mer is looked up.
GKL_SHIM_CORRECT int sample_step(int k) { return k / 2; }

// A change is confirmed by this number of solid k-mers in a row that contain it, or by all of them
// at the end of a read. With more, reads with many errors stay unsolved; with fewer, more right
// bases of repeats are changed.
GKL_SHIM_CORRECT int confirming(int k) { return k / 2; }

// What became of a read.
enum State : uint8_t {
    kSolid = 0,      // the k-mers that were looked up, which cover all bases, are solid
    kCorrected = 1,  // it was changed, and all its k-mers are solid now
    kUnsolved = 2,   // some k-mers are still weak
    kShort = 3       // it has no k-mer
};

// Whether a quality is below 7/8 of the read's mean. Both are multiplied by the read's length.
GKL_SHIM_CORRECT bool is_low(uint64_t quality, uint64_t total) { return quality * 8 < total * 7; }

// The most changes that the search makes at once, with this number of bases before the read's end.
// More than a few must be of bases whose mean quality is low. Otherwise reads would often be
// changed into another copy of a repeat.
constexpr int kFew = 4, kMostAtOnce = 10;
GKL_SHIM_CORRECT int most_at_once(int bases) {
    const int few = bases < kFew ? bases : kFew;
    const int half = bases / 2 < kMostAtOnce ? bases / 2 : kMostAtOnce;
    return few > half ? few : half;
}

// The most changes of a read, unless the caller sets another limit.
GKL_SHIM_CORRECT int default_limit(int length) { return 2 + length / 10; }

// A read gets few changes within this number of bases, because copies of a repeat and alleles
// differ by true bases of high quality. A change of a base whose quality is above the read's mean
// counts as two, and one whose quality is below 7/8 of the mean does not count.
constexpr int kWindow = 20, kMostInWindow = 4;

struct Limits {
    int32_t changes;         // of a read; 0 means default_limit()
    int32_t in_window;       // 0 means kMostInWindow
    int32_t all_or_nothing;  // if not 0, a read that stays unsolved gets no change at all

    GKL_SHIM_CORRECT int of(int length) const {
        return changes > 0 ? changes : default_limit(length);
    }
    GKL_SHIM_CORRECT int of_window() const { return in_window > 0 ? in_window : kMostInWindow; }
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
//   bool vote(Change *)   the change with the most votes; false if no k-mer votes

// Whether a window that has a base of [first, last] has too many changes. The replacement of an N
// does not count, because it overwrites no base.
template <class WorkingRead>
GKL_SHIM_CORRECT bool crowded(const WorkingRead &read, const Limits &limits, int first, int last) {
    const int begin = first < kWindow ? 0 : first - kWindow + 1;
    const int end = last + kWindow < read.length() ? last + kWindow : read.length();
    const uint64_t total = read.total_quality();
    const auto weight = [&read, total](int p) {
        const uint32_t original = read.original(p);
        if (original == kUnknown || original == read.code(p)) return 0;
        const uint64_t quality = uint64_t(read.quality(p)) * uint64_t(read.length());
        return quality > total ? 2 : is_low(quality, total) ? 0 : 1;
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

template <class WorkingRead>
class Search {
   public:
    GKL_SHIM_CORRECT Search(WorkingRead &read, const Limits &limits)
        : read_(read),
          limits_(limits),
          left_(limits.of(read.length())),
          enough_(confirming(read.k())) {}

    // Expects a read with a k-mer, and weak k-mers found. Returns the read's state.
    GKL_SHIM_CORRECT State correct() {
        const int kmers = read_.kmers();
        if (read_.next_weak(0) == kmers) return kSolid;
        if (read_.next_solid(0) == kmers) {
            Change change;
            if (!read_.vote(&change)) return kUnsolved;
            left_--;
            read_.set_code(change.position, change.base);
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
    GKL_SHIM_CORRECT int weak_from(int from, int direction) const {
        return direction > 0 ? read_.next_weak(from) : read_.last_weak(from);
    }
    GKL_SHIM_CORRECT int solid_from(int from, int direction) const {
        return direction > 0 ? read_.next_solid(from) : read_.last_solid(from);
    }
    // Whether one was found.
    GKL_SHIM_CORRECT bool is_kmer(int at) const { return at >= 0 && at < read_.kmers(); }

    // Corrects everything from a solid k-mer on in a direction. Where the extension stops, the next
    // run of solid k-mers is extended back, to meet it.
    GKL_SHIM_CORRECT void extend_all(int solid, int direction) {
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

    // Makes the fewest changes after which the weak k-mer and all others that contain a changed
    // base are solid. The k-mer beside it, against the direction, is solid. Returns whether there
    // was one best way.
    //
    // One change is tried first, of the base that the k-mer adds or of one before it, and then
    // several changes. There is one call of each function, to keep a GPU's code small.
    GKL_SHIM_CORRECT bool extend(int weak, int direction) {
        const int n = read_.length(), k = read_.k();
        const int start = direction > 0 ? weak + k - 1 : weak;
        const int bases = direction > 0 ? n - start : start + 1;
        int most = most_at_once(bases);
        if (most > left_) most = left_;
        total_quality_ = read_.total_quality();
        const bool high = is_high(start);
        bool open = true;
        for (int changes = 1; changes <= most && open; changes++) {
            // A single change may also be of a base before: first of all if this one was read well.
            const int before = changes == 1 ? enough_ : 0;
            for (int tried = 0; tried <= before; tried++) {
                const int back = high ? (tried + 1) % (before + 1) : tried;
                const int first = weak - direction * back, position = start - direction * back;
                if (back > 0 && (!is_kmer(first) || is_high(position))) continue;
                const int ways = explore(position, direction, changes);
                if (back == 0) open = open_;
                if (back == 0 ? ways == 0 : ways != 1 || !confirmed_before(direction)) continue;
                if (ways == 1 && make_best(changes)) {
                    left_ -= changes;
                    const int end = best_[changes - 1].position;
                    if (run_ < reach(end, direction))
                        read_.find_weak();  // k-mers behind these contain the change, too
                    else if (direction > 0)
                        read_.set_solid(first, end + run_ - k);
                    else
                        read_.set_solid(end - run_ + 1, first);
                    return true;
                }
                if (back == 0) return false;
            }
        }
        return false;
    }

    // Whether a base was read better than the read's mean.
    GKL_SHIM_CORRECT bool is_high(int position) const {
        return uint64_t(read_.quality(position)) * uint64_t(read_.length()) > total_quality_;
    }

    // Whether the best way is a change of a base that may be wrong although some k-mers with it are
    // solid: its quality is low, or all k-mers that contain the change are solid. It is not high.
    GKL_SHIM_CORRECT bool confirmed_before(int direction) const {
        const int position = best_[0].position;
        const uint64_t quality = uint64_t(read_.quality(position)) * uint64_t(read_.length());
        return is_low(quality, total_quality_) || run_ == reach(position, direction);
    }

    // Makes the best changes, unless there would be too many in a window.
    GKL_SHIM_CORRECT bool make_best(int changes) {
        uint32_t before[kMostAtOnce];
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
    GKL_SHIM_CORRECT int reach(int position, int direction) const {
        const int bases = direction > 0 ? read_.length() - position : position + 1;
        return bases < read_.k() ? bases : read_.k();
    }

    // Tries all ways of exactly this number of changes. Returns how many are equally good. This is
    // a depth-first search without recursion: way[d] is the change at depth d, and before[d] the
    // base that it replaces.
    GKL_SHIM_CORRECT int explore(int start, int direction, int changes) {
        uint32_t before[kMostAtOnce], bases[kMostAtOnce], quality = 0, best = 0;
        Change way[kMostAtOnce];
        int ways = 0, depth = 0;
        way[0] = {start, 0};
        before[0] = read_.code(start);
        bases[0] = read_.solid_bases(start, direction);
        open_ = false;
        for (;;) {
            Change &change = way[depth];
            const uint32_t untried = bases[depth] >> change.base;
            if (untried == 0) {
                if (depth == 0) return ways;
                depth--;
                read_.set_code(way[depth].position, before[depth]);
                quality -= read_.quality(way[depth].position);
                way[depth].base++;
                continue;
            }
            if (!(untried & 1)) {
                change.base++;
                continue;
            }
            const int containing = reach(change.position, direction);
            const int run = read_.run(change, direction, containing);
            const int enough = containing < enough_ ? containing : enough_;
            const bool last = depth == changes - 1;
            if (run >= enough && last) {
                const uint32_t sum = quality + read_.quality(change.position);
                const bool low = is_low(uint64_t(sum) * uint64_t(read_.length()),
                                        uint64_t(changes) * total_quality_);
                if (changes > kFew && !low) {
                    // not a way
                } else if (ways == 0 || run > run_ || (run == run_ && sum < best)) {
                    ways = 1;
                    best = sum;
                    run_ = run;
                    GKL_SHIM_ROLLED
                    for (int d = 0; d < changes; d++) best_[d] = way[d];
                } else if (run == run_ && sum == best) {
                    ways++;
                }
            } else if (run < enough && last) {
                open_ = true;
            } else if (run < enough) {
                quality += read_.quality(change.position);
                read_.set_code(change.position, change.base);
                depth++;
                way[depth] = {change.position + direction * run, 0};
                before[depth] = read_.code(way[depth].position);
                bases[depth] = read_.solid_bases(way[depth].position, direction);
                continue;
            }
            change.base++;
        }
    }

    WorkingRead &read_;
    const Limits &limits_;
    int left_;          // changes that the read may still get
    const int enough_;  // k-mers in a row that confirm a change
    Change best_[kMostAtOnce];
    uint64_t total_quality_ = 0;  // of the read
    int run_ = 0;                 // k-mers that confirm the last of the best changes
    bool open_ = false;           // whether one more change may confirm a way that was explored
};

// CUDA-EC's loop: make the change with the most votes until all k-mers are solid.
template <class WorkingRead>
GKL_SHIM_CORRECT State correct_by_voting(WorkingRead &read, const Limits &limits) {
    const int kmers = read.kmers();
    if (read.next_weak(0) == kmers) return kSolid;
    for (int left = limits.of(read.length()); left > 0; left--) {
        Change change;
        if (!read.vote(&change)) return kUnsolved;
        const uint32_t before = read.code(change.position);
        read.set_code(change.position, change.base);
        if (crowded(read, limits, change.position, change.position)) {
            read.set_code(change.position, before);
            return kUnsolved;
        }
        read.find_weak();
        if (read.next_weak(0) == kmers) return kCorrected;
    }
    return kUnsolved;
}

// Corrects a read. Expects one with a k-mer, and weak k-mers found.
template <class WorkingRead>
GKL_SHIM_CORRECT State correct_read(WorkingRead &read, Method method, const Limits &limits) {
    const State state = method == kVoting ? correct_by_voting(read, limits)
                                          : Search<WorkingRead>(read, limits).correct();
    if (state == kUnsolved && limits.all_or_nothing) {
        GKL_SHIM_ROLLED
        for (int p = 0; p < read.length(); p++) read.set_code(p, read.original(p));
        read.find_weak();
    }
    return state;
}

}  // namespace correct
}  // namespace gkl_shim
