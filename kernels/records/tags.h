// The tags of a BAM record (SAM specification, section 4.2.4) in the order in which htsjdk writes
// them after a change: by the second letter of the name, then the first.
//
// Like record.h, it is for any native code that reads or writes records.
#pragma once

#include <stdint.h>

#include <string_view>
#include <vector>

#include "records/record.h"

namespace gkl_shim::records {

// A name as a number. The first letter is the low byte, as in the file.
constexpr uint16_t tag_name(char first, char second) {
    return uint16_t(uint8_t(first) | uint8_t(second) << 8);
}

constexpr uint16_t kReadGroup = tag_name('R', 'G');
constexpr uint16_t kProgram = tag_name('P', 'G');
constexpr uint16_t kDuplicateType = tag_name('D', 'T');

// The size of a name and a type, which are before each value.
constexpr int64_t kTagHeader = 3;

struct Tag {
    // Where its name is. The type and the value follow.
    const uint8_t *start;
    const uint8_t *end;

    uint16_t name() const { return load<uint16_t>(start); }
    uint8_t type() const { return start[2]; }
    const uint8_t *value() const { return start + kTagHeader; }
    // The letters of a tag of type Z, without the 0 at its end.
    std::string_view text() const {
        return {reinterpret_cast<const char *>(value()), size_t(end - value() - 1)};
    }
    // Whether it is of type Z, and its letters are those of ASCII.
    bool is_ascii() const;
};

class Tags {
   public:
    // Finds the tags of a record. Returns whether all are usual: no tag occurs twice, and htsjdk
    // writes each unchanged, or as the smallest type of a whole number.
    bool parse(const uint8_t *from, const uint8_t *to);

    // Returns null if there is none.
    const Tag *find(uint16_t name) const;
    const Tag *begin() const { return tags_.data(); }
    const Tag *end() const { return tags_.data() + tags_.size(); }

   private:
    std::vector<Tag> tags_;
};

// Writes a tag as htsjdk does. It does not get longer. Returns where it ends.
uint8_t *write_tag(uint8_t *to, const Tag &tag);

// Writes a tag of type Z. Returns where it ends.
uint8_t *write_text(uint8_t *to, uint16_t name, std::string_view text);

// The size of a tag of type Z whose text has this many letters.
constexpr int64_t text_size(int64_t length) { return kTagHeader + length + 1; }

}  // namespace gkl_shim::records
