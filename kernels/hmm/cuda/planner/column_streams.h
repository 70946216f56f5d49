// The columns and events of tries, in the order in which warps compute them.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <vector>

#include "hmm/cuda/kernels/block_format.h"
#include "hmm/pairhmm/plan.h"

namespace gkl_shim::pairhmm {

// Up to this many columns, computing them again costs less than keeping the state at a fork.
constexpr int64_t kMaxRepeatedColumns = 8;

// Streams of columns, one after the other. A stream is a trie, or a part of its leaves, in the
// order in which a warp computes it.
struct ColumnStreams {
    std::vector<uint8_t> letters;  // of the columns
    std::vector<Event> events;
    std::vector<TrieRecord> tries;  // places in the above

    uint32_t columns() const { return uint32_t(letters.size()); }

    void clear() {
        letters.clear();
        events.clear();
        tries.clear();
    }

    // Cuts a trie into `most` streams, or one for each leaf if that is fewer. Each has about the
    // same number of leaves, and its own copy of the columns that it shares with others. Events'
    // places are counted from the stream's first column. Returns how many streams there are.
    int32_t append(const Trie &trie, bool tails, int32_t most) {
        const int32_t count = std::min(most, trie.leaves);
        find_leaves(trie);
        for (int32_t k = 0; k < count; k++) {
            const uint32_t first_column = columns();
            tries.push_back({first_column, uint32_t(events.size()), 0, 0});
            append_stream(trie, tails, int32_t(int64_t(trie.leaves) * k / count),
                          int32_t(int64_t(trie.leaves) * (k + 1) / count),
                          trie.leaves + k * trie.slots, trie.leaves + count * trie.slots);
            tries.back().length = int32_t(columns() - first_column);
        }
        return count;
    }

   private:
    // The leaves of a branch and what follows it.
    struct Leaves {
        int32_t first, end;
    };

    void find_leaves(const Trie &trie) {
        leaves_.resize(trie.branches.size());
        slot_owner_.assign(size_t(trie.slots), -1);
        int32_t leaves = 0, open = 0;  // slots of branches that may still go on
        for (size_t k = 0; k < leaves_.size(); k++) {
            const Branch &branch = trie.branches[k];
            while (open > branch.load + 1)
                leaves_[size_t(slot_owner_[size_t(--open)])].end = leaves;
            leaves_[k].first = leaves;
            leaves += branch.leaf >= 0;
            leaves_[k].end = leaves;
            if (branch.save >= 0) slot_owner_[size_t(open++)] = int32_t(k);
        }
        while (open > 0) leaves_[size_t(slot_owner_[size_t(--open)])].end = leaves;
    }

    void append_stream(const Trie &trie, bool tails, int32_t first_leaf, int32_t end_leaf,
                       int32_t slots, int32_t root) {
        // The branches on the way to these leaves, and which states later branches start from.
        path_.clear();
        for (int32_t k = 0; k < int32_t(leaves_.size()); k++) {
            const Branch &branch = trie.branches[size_t(k)];
            if (leaves_[size_t(k)].first >= end_leaf || leaves_[size_t(k)].end <= first_leaf)
                continue;
            const int32_t before = branch.load < 0 ? kNone : slot_owner_[size_t(branch.load)];
            PathBranch step = {&branch, before, before, branch.length, false, false};
            if (before >= 0) {
                PathBranch &fork = path_[size_t(before)];
                if (fork.repeated) {
                    step.origin = fork.origin;
                    step.distance += fork.distance;
                }
                if (before != int32_t(path_.size()) - 1 && step.origin >= 0)
                    path_[size_t(step.origin)].saved = true;
            }
            step.repeated = step.distance <= kMaxRepeatedColumns;
            if (branch.save >= 0) slot_owner_[size_t(branch.save)] = int32_t(path_.size());
            path_.push_back(step);
        }
        const uint32_t first_column = columns();
        uint32_t at = 0;
        int32_t store = kNone, letter = -1, current_slot = kNone;
        const auto add_event = [&](int32_t load) {
            if (store != kNone || load != kNone)
                events.push_back({at, event_of(store, letter, load)});
            store = kNone;
            letter = -1;
        };
        for (const PathBranch &step : path_) {
            const Branch &branch = *step.branch;
            if (branch.load >= 0 && branch.load == current_slot) {
                add_event(kNone);
            } else {
                add_event(step.origin < 0 ? root : slots + path_[size_t(step.origin)].branch->save);
                append_letters(trie, step.before, step.origin);
            }
            append_letters(trie, branch);
            current_slot = branch.save;
            at = columns() - first_column;
            if (branch.leaf >= first_leaf && branch.leaf < end_leaf) {
                store = branch.leaf;
                if (tails) {
                    at--;
                    letter = letters.back();
                    if (branch.save < 0) letters.pop_back();
                }
                if (branch.save >= 0) add_event(kNone);
            }
            if (branch.save >= 0) {
                at = columns() - first_column;
                if (step.saved) store = slots + branch.save;
            }
        }
        add_event(kNone);
        events.push_back({kNoEvent, event_of(kNone, -1, kNone)});
    }

    struct PathBranch {
        const Branch *branch;
        int32_t before;    // the step that it goes on from, or kNone: the root
        int32_t origin;    // the last step before it whose state is saved if it is needed again
        int64_t distance;  // columns from there to its end
        bool repeated, saved;
    };

    // The letters of a step and of those before it, up to the origin.
    void append_letters(const Trie &trie, int32_t step, int32_t origin) {
        if (step == origin) return;
        const PathBranch &last = path_[size_t(step)];
        append_letters(trie, last.before, origin);
        append_letters(trie, *last.branch);
    }
    void append_letters(const Trie &trie, const Branch &branch) {
        const uint8_t *from = trie.letters.data() + branch.column;
        letters.insert(letters.end(), from, from + branch.length);
    }

    std::vector<Leaves> leaves_;  // of each branch
    std::vector<PathBranch> path_;
    std::vector<int32_t> slot_owner_;  // of each slot: whose state is in it
};

}  // namespace gkl_shim::pairhmm
