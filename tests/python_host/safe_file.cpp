// Prints for each path on standard input whether code may be loaded from it: 1 or 0, then the
// reason.
#include "python_host/safe_file.h"

#include <stdio.h>

#include <iostream>

int main() {
    for (std::string path; std::getline(std::cin, path);) {
        std::string reason;
        const bool safe = gkl_shim::is_safe_file(path, &reason);
        printf("%d%s\n", safe, reason.c_str());
    }
    return 0;
}
