// What a run of MarkDuplicates knows before its first record: its options, the sequences, and the
// read groups and programs that the headers list.
#pragma once

#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gkl_shim_internal.h"
#include "records/tags.h"

namespace gkl_shim::duplicates {

using namespace records;

// A read group or a program, or what takes its place in records that name none.
struct Text {
    // The number of a read group; -1 for a program.
    int32_t group;
    // The text that takes its place, if another does.
    std::optional<std::string> new_text;
    // The hash of the text that is written, as far as a read's name continues it.
    uint64_t hash;
};

// Continues the hash of a key that mates have in common.
inline uint64_t hash_key(uint64_t hash, std::string_view part) {
    for (const char letter : part) hash = hash * 0x100000001b3 + uint8_t(letter);
    return hash;
}

// The texts that a header lists for one tag.
class Texts {
   public:
    void add(const gkl_shim_duplicates_text &text);

    // Finds the text of a tag of type Z, or of a record without the tag: null. Returns null if it
    // is not listed.
    const Text *find(const Tag *tag) const;
    const Text *absent() const { return absent_ ? &*absent_ : nullptr; }

   private:
    std::forward_list<std::string> letters_;
    std::unordered_map<std::string_view, Text> listed_;
    std::optional<Text> absent_;
};

}  // namespace gkl_shim::duplicates

struct gkl_shim_duplicates_run {
    // The texts of one file.
    struct File {
        gkl_shim::duplicates::Texts groups, programs;
    };

    // Throws Failed.
    explicit gkl_shim_duplicates_run(const gkl_shim_duplicates_facts &facts);

    bool has(int32_t option) const { return (options & option) != 0; }
    bool has_barcodes() const {
        return tags[GKL_SHIM_DUPLICATES_TAG_BARCODE] || tags[GKL_SHIM_DUPLICATES_TAG_FIRST] ||
               tags[GKL_SHIM_DUPLICATES_TAG_SECOND];
    }
    uint16_t molecule_tag() const { return tags[GKL_SHIM_DUPLICATES_TAG_MOLECULE]; }

    const int32_t options;
    uint16_t tags[GKL_SHIM_DUPLICATES_NAMED_TAGS];
    std::vector<std::string> names;
    std::vector<int64_t> lengths;
    std::vector<File> files;
    // How many read groups there are.
    int32_t groups = 0;
    // The most bytes by which a record becomes longer.
    int64_t growth = 0;
};
