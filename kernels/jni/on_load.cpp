// The JVM calls this when it loads the library, for our own classes and for Intel's.
#include <jni.h>

#include "guarded_jni.h"
#include "jni/settings/settings.h"

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *machine, void *) {
    void *found = nullptr;
    if (machine->GetEnv(&found, JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
    JNIEnv *const env = static_cast<JNIEnv *>(found);
    const jint version = gkl_shim::jni::guarded_jni(env, "gkl-shim", [env]() -> jint {
        gkl_shim::jni::read_settings(env);
        return JNI_VERSION_1_8;
    });
    if (version != 0) return version;
    // Intel's loader expects an UnsatisfiedLinkError, which JNI_ERR causes, and no other exception.
    env->ExceptionClear();
    return JNI_ERR;
}
