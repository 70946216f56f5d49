/* As much of a JVM as the library's JNI functions see: objects that are arrays, of bytes and
 * numbers or of other objects, and the exception that is pending. It asks for no memory. */
#pragma once

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fake_object {
    jsize length;
    void *content;
    struct fake_object **elements; /* of an array of objects; of another object, its fields */
};

/* "CLASS: MESSAGE", or "": then the next call finds none. */
const char *fake_pending(void);

/* How many strings' characters have been asked for and not been released. */
int fake_strings_held(void);

extern const JNIEnv fake_env;
extern const JavaVM fake_machine;

#ifdef __cplusplus
}
#endif
