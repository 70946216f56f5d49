// Writes standard input to a file as the bridge in a JVM does:
//
//     output_file PATH [killed]
//
// A failure is one line on standard error, and exit code 1. `killed`: before the file is complete.
#include "jni/recording/output_file.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **arguments) {
    gkl_shim::jni::OutputFile file;
    std::string reason;
    const auto fail = [&] {
        fprintf(stderr, "%s\n", reason.c_str());
        return 1;
    };
    if (count < 2) return 2;
    if (!file.open(arguments[1], &reason)) return fail();
    char part[1 << 16];
    for (ssize_t size; (size = read(0, part, sizeof part)) > 0;)
        if (!file.write(part, size_t(size), &reason)) return fail();
    if (count > 2) raise(SIGKILL);
    return file.finish(&reason) ? 0 : fail();
}
