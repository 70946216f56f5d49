// The guard around every native method, which translates C++ exceptions to Java exceptions, and
// what the methods share.
#pragma once

#include <jni.h>

#include <stdexcept>
#include <string>

#include "common/floating_point_mode.h"
#include "gkl_shim.h"

namespace gkl_shim::jni {

// Becomes the Java exception `type`, a class name with slashes.
struct JavaError : std::runtime_error {
    JavaError(const char *type, const std::string &message)
        : std::runtime_error(message), type(type) {}
    const char *type;
};

constexpr char kIllegalArgument[] = "java/lang/IllegalArgumentException";
constexpr char kIllegalState[] = "java/lang/IllegalStateException";
constexpr char kNullPointer[] = "java/lang/NullPointerException";

// A Java exception is already pending.
struct JavaPending {};

// Throws JavaPending if the last JNI call has raised an exception.
inline void check(JNIEnv *env) {
    if (env->ExceptionCheck()) throw JavaPending();
}

// Throws the JavaError that corresponds to a status of the C ABI.
void check(gkl_shim_status status);

// The characters of a Java string. Throws JavaPending.
std::string text(JNIEnv *env, jstring string);

// Turns the C++ exception being handled into a pending Java exception. Call it in catch (...).
// `algorithm` starts the message unless the exception is a JavaError.
void raise_exception(JNIEnv *env, const char *algorithm) noexcept;

// Runs work() in the library's floating-point mode and returns its result. An exception becomes a
// pending Java exception; the result is then 0, which Java does not see.
template <class Work>
auto guarded_jni(JNIEnv *env, const char *algorithm, Work work) noexcept -> decltype(work()) {
    const FloatingPointMode mode;
    try {
        return work();
    } catch (...) {
        raise_exception(env, algorithm);
        return decltype(work())();
    }
}

}  // namespace gkl_shim::jni
