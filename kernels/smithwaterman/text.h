// Names in the text format of pairs, for the parser and for the recorder in a JVM.
#pragma once

namespace gkl_shim {
namespace smithwaterman {

// The overhang strategies, by their numbers in gkl_shim.h.
constexpr const char *kOverhangs[] = {"softclip", "indel", "leading_indel", "ignore"};

}  // namespace smithwaterman
}  // namespace gkl_shim
