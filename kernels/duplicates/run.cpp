#include "duplicates/run.h"

#include <algorithm>
#include <iterator>

#include "common/error.h"

namespace gkl_shim::duplicates {
namespace {

// More than ":POSITION//A", which follows the name of the sequence in that of a molecule.
constexpr int64_t kMaxMoleculeEnd = 32;

}  // namespace

void Texts::add(const gkl_shim_duplicates_text &text) {
    Text value = {text.group, {}, 0};
    if (text.new_text != nullptr) value.new_text = text.new_text;
    if (text.text != nullptr) value.hash = hash_key(0, value.new_text.value_or(text.text));
    if (text.text == nullptr) {
        if (!absent_) absent_ = std::move(value);
        return;
    }
    letters_.emplace_front(text.text);
    listed_.emplace(letters_.front(), std::move(value));
}

const Text *Texts::find(const Tag *tag) const {
    if (tag == nullptr) return absent();
    const auto found = listed_.find(tag->text());
    return found == listed_.end() ? nullptr : &found->second;
}

}  // namespace gkl_shim::duplicates

using namespace gkl_shim::duplicates;

gkl_shim_duplicates_run::gkl_shim_duplicates_run(const gkl_shim_duplicates_facts &facts)
    : options(facts.options),
      names(facts.names, facts.names + facts.sequences),
      lengths(facts.lengths, facts.lengths + facts.sequences) {
    std::copy(std::begin(facts.tags), std::end(facts.tags), tags);
    int64_t longest_group = 0, longest_program = 0, longest_name = 4;
    for (int32_t k = 0; k < facts.texts; k++) {
        const gkl_shim_duplicates_text &text = facts.text[k];
        if (text.file < 0 || text.file > facts.texts || text.group < -1 || text.group > facts.texts)
            throw gkl_shim::Failed{gkl_shim::invalid("text %d has no file or read group", int(k))};
        if (size_t(text.file) >= files.size()) files.resize(size_t(text.file) + 1);
        File &file = files[size_t(text.file)];
        (text.group < 0 ? file.programs : file.groups).add(text);
        groups = std::max(groups, text.group + 1);
        if (text.new_text != nullptr) {
            int64_t &longest = text.group < 0 ? longest_program : longest_group;
            longest = std::max(longest, int64_t(std::string_view(text.new_text).size()));
        }
    }
    for (const std::string &name : names)
        longest_name = std::max(longest_name, int64_t(name.size()));
    growth = longest_group + text_size(longest_program) + text_size(2);
    if (molecule_tag() != 0) growth += text_size(longest_name + kMaxMoleculeEnd);
}

extern "C" gkl_shim_status gkl_shim_duplicates_open(const gkl_shim_duplicates_facts *facts,
                                                    gkl_shim_duplicates_run **run) {
    return gkl_shim::opened(run, *facts);
}

extern "C" void gkl_shim_duplicates_close(gkl_shim_duplicates_run *run) { delete run; }

extern "C" int64_t gkl_shim_duplicates_growth(const gkl_shim_duplicates_run *run) {
    return run->growth;
}
