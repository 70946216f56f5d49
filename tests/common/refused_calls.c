// Preloaded into a program, makes system calls fail: REFUSE="rename=38,fsync=5@2-2" lets all calls
// of rename() fail with the error 38, and the second call of fsync() with 5.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refused(const char *name, int call) {
    const char *given = getenv("REFUSE");
    const size_t length = strlen(name);
    for (const char *at = given; at && *at; at = strchr(at, ','), at += at != NULL) {
        int error = 0, first = 1, last = 1 << 30;
        if (strncmp(at, name, length) != 0 || at[length] != '=') continue;
        sscanf(at + length + 1, "%d@%d-%d", &error, &first, &last);
        if (call < first || call > last) continue;
        errno = error;
        return 1;
    }
    return 0;
}

int rename(const char *from, const char *to) {
    static int calls;
    if (refused("rename", ++calls)) return -1;
    return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}

int fsync(int descriptor) {
    static int calls;
    if (refused("fsync", ++calls)) return -1;
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(descriptor);
}
