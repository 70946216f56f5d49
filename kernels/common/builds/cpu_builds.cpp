#include "common/builds/cpu_builds.h"

namespace gkl_shim {
namespace {

// A build as Builds sees it, without an algorithm.
struct Build {
    const char *name;
};
[[maybe_unused]] const Build kAvx512Build = {"avx512"}, kAvx2Build = {"avx2"},
                             kNeonBuild = {"neon"}, kPortableBuild = {"portable"};

// An array, so that nothing is allocated.
struct Names {
    Names() {
        for (const Build *build : Builds<Build>(GKL_SHIM_COMPILED_BUILDS)) {
            if (*text) strcat(text, " ");
            strcat(text, build->name);
        }
    }
    char text[64] = "";
};

}  // namespace
}  // namespace gkl_shim

extern "C" const char *gkl_shim_builds(void) {
    static const gkl_shim::Names names;
    return names.text;
}
