#include "records/tags.h"

#include <math.h>
#include <string.h>

#include <algorithm>

namespace gkl_shim::records {
namespace {

// A long CIGAR.
constexpr uint16_t kLongCigar = tag_name('C', 'G');

// The size of an array's element, or 0 if there is no such type.
int64_t element_size(uint8_t type) {
    if (type == 'c' || type == 'C') return 1;
    if (type == 's' || type == 'S') return 2;
    return type == 'i' || type == 'I' || type == 'f' ? 4 : 0;
}

// The size of a tag's value, or -1 if it does not end, or htsjdk may write it otherwise. `left`
// is the size of all that follows the type, at least 1.
int64_t value_size(uint8_t type, const uint8_t *value, int64_t left) {
    switch (type) {
        case 'A':
            return 1;
        case 'f':
            // Not a number may get other bits.
            return left < 4 || isnan(load<float>(value)) ? -1 : 4;
        case 'Z': {
            const void *end = memchr(value, 0, size_t(left));
            return end == nullptr ? -1 : static_cast<const uint8_t *>(end) + 1 - value;
        }
        case 'B': {
            if (left < 5) return -1;
            const int64_t size = load<int32_t>(value + 1) * element_size(value[0]);
            return size <= 0 ? -1 : 5 + size;
        }
        default:
            return element_size(type) > 0 ? element_size(type) : -1;
    }
}

// A whole number of any type, as its value.
int64_t number(const Tag &tag) {
    const uint8_t *const value = tag.value();
    switch (tag.type()) {
        case 'c':
            return load<int8_t>(value);
        case 'C':
            return load<uint8_t>(value);
        case 's':
            return load<int16_t>(value);
        case 'S':
            return load<uint16_t>(value);
        case 'i':
            return load<int32_t>(value);
        default:
            return load<uint32_t>(value);
    }
}

// Writes a number with the smallest type that holds it. htsjdk prefers the signed one.
uint8_t *write_number(uint8_t *to, int64_t value) {
    if (value > UINT16_MAX || value < INT16_MIN) {
        *to = value > INT32_MAX ? 'I' : 'i';
        store(to + 1, uint32_t(value));
        return to + 5;
    }
    if (value > UINT8_MAX || value < INT8_MIN) {
        *to = value > INT16_MAX ? 'S' : 's';
        store(to + 1, uint16_t(value));
        return to + 3;
    }
    *to = value > INT8_MAX ? 'C' : 'c';
    to[1] = uint8_t(value);
    return to + 2;
}

}  // namespace

bool Tag::is_ascii() const {
    const std::string_view letters = text();
    return type() == 'Z' && std::all_of(letters.begin(), letters.end(),
                                        [](char letter) { return (letter & 0x80) == 0; });
}

bool Tags::parse(const uint8_t *from, const uint8_t *to) {
    tags_.clear();
    while (from < to) {
        const int64_t left = to - from - kTagHeader;
        if (left <= 0) return false;
        const int64_t size = value_size(from[2], from + kTagHeader, left);
        const uint16_t name = load<uint16_t>(from);
        if (size < 0 || size > left || name == kLongCigar || (name & 0x8080) != 0) return false;
        size_t place = tags_.size();
        tags_.emplace_back();
        for (; place > 0 && tags_[place - 1].name() >= name; place--) {
            if (tags_[place - 1].name() == name) return false;
            tags_[place] = tags_[place - 1];
        }
        tags_[place] = {from, from + kTagHeader + size};
        from = tags_[place].end;
    }
    return true;
}

const Tag *Tags::find(uint16_t name) const {
    for (const Tag &tag : tags_)
        if (tag.name() == name) return &tag;
    return nullptr;
}

uint8_t *write_tag(uint8_t *to, const Tag &tag) {
    if (element_size(tag.type()) > 0 && tag.type() != 'f') {
        store(to, tag.name());
        return write_number(to + 2, number(tag));
    }
    memcpy(to, tag.start, size_t(tag.end - tag.start));
    return to + (tag.end - tag.start);
}

uint8_t *write_text(uint8_t *to, uint16_t name, std::string_view text) {
    store(to, name);
    to[2] = 'Z';
    memcpy(to + kTagHeader, text.data(), text.size());
    to[kTagHeader + text.size()] = 0;
    return to + text_size(int64_t(text.size()));
}

}  // namespace gkl_shim::records
