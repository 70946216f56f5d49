#include "jvm.h"

#include <stdio.h>
#include <string.h>

static const char *const fields[] = {"readBases",   "readQuals",  "insertionGOP",
                                     "deletionGOP", "overallGCP", "haplotypeBases"};
static char class_found[128], pending[256];
static int strings_held;

const char *fake_pending(void) {
    static char text[sizeof pending];
    strcpy(text, pending);
    *pending = 0;
    return text;
}

int fake_strings_held(void) { return strings_held; }

static struct fake_object *object(jobject reference) { return (struct fake_object *)reference; }

/* Whether a part of an array is within it. Otherwise an exception is pending, as in a JVM. */
static bool within(struct fake_object *array, jsize start, jsize size) {
    if (start >= 0 && size >= 0 && (int64_t)start + size <= array->length) return true;
    snprintf(pending, sizeof pending, "java/lang/ArrayIndexOutOfBoundsException: %d elements",
             (int)size);
    return false;
}

static jclass FindClass(JNIEnv *env, const char *name) {
    (void)env;
    snprintf(class_found, sizeof class_found, "%s", name);
    return (jclass)class_found;
}
static jint ThrowNew(JNIEnv *env, jclass type, const char *message) {
    (void)env;
    snprintf(pending, sizeof pending, "%s: %s", (const char *)type, message);
    return 0;
}
static jboolean ExceptionCheck(JNIEnv *env) { return (void)env, *pending != 0; }
static void ExceptionClear(JNIEnv *env) { (void)env, *pending = 0; }
static void DeleteLocalRef(JNIEnv *env, jobject reference) { (void)env, (void)reference; }
static jmethodID GetStaticMethodID(JNIEnv *env, jclass type, const char *name,
                                   const char *signature) {
    return (void)env, (void)type, (void)name, (void)signature, NULL;
}
static jfieldID GetFieldID(JNIEnv *env, jclass type, const char *name, const char *signature) {
    (void)env, (void)type, (void)signature;
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        if (strcmp(fields[k], name) == 0) return (jfieldID)(fields + k);
    return NULL;
}
static jobject GetObjectField(JNIEnv *env, jobject holder, jfieldID field) {
    (void)env;
    const long index = (const char *const *)field - fields;
    return (jobject)object(holder)->elements[index % 5];
}
static jobject GetObjectArrayElement(JNIEnv *env, jobjectArray array, jsize index) {
    return (void)env, (jobject)object(array)->elements[index];
}
static jsize GetArrayLength(JNIEnv *env, jarray array) { return (void)env, object(array)->length; }
static void GetByteArrayRegion(JNIEnv *env, jbyteArray array, jsize start, jsize size, jbyte *to) {
    (void)env;
    if (!within(object(array), start, size)) return;
    if (size > 0) memcpy(to, (jbyte *)object(array)->content + start, (size_t)size);
}
static void GetIntArrayRegion(JNIEnv *env, jintArray array, jsize start, jsize size, jint *to) {
    (void)env;
    if (!within(object(array), start, size)) return;
    if (size > 0) memcpy(to, (jint *)object(array)->content + start, (size_t)size * sizeof *to);
}
static void SetByteArrayRegion(JNIEnv *env, jbyteArray array, jsize start, jsize size,
                               const jbyte *from) {
    (void)env;
    if (!within(object(array), start, size)) return;
    if (size > 0) memcpy((jbyte *)object(array)->content + start, from, (size_t)size);
}
static void SetDoubleArrayRegion(JNIEnv *env, jdoubleArray array, jsize start, jsize size,
                                 const jdouble *from) {
    (void)env;
    if (!within(object(array), start, size)) return;
    if (size > 0)
        memcpy((jdouble *)object(array)->content + start, from, (size_t)size * sizeof *from);
}
static const char *GetStringUTFChars(JNIEnv *env, jstring string, jboolean *copied) {
    strings_held++;
    return (void)env, (void)copied, object(string)->content;
}
static void ReleaseStringUTFChars(JNIEnv *env, jstring string, const char *text) {
    (void)env, (void)string, (void)text;
    strings_held--;
}

static const struct JNINativeInterface_ functions = {
    .FindClass = FindClass,
    .ThrowNew = ThrowNew,
    .ExceptionCheck = ExceptionCheck,
    .ExceptionClear = ExceptionClear,
    .DeleteLocalRef = DeleteLocalRef,
    .GetStaticMethodID = GetStaticMethodID,
    .GetFieldID = GetFieldID,
    .GetObjectField = GetObjectField,
    .GetObjectArrayElement = GetObjectArrayElement,
    .GetArrayLength = GetArrayLength,
    .GetByteArrayRegion = GetByteArrayRegion,
    .GetIntArrayRegion = GetIntArrayRegion,
    .SetByteArrayRegion = SetByteArrayRegion,
    .SetDoubleArrayRegion = SetDoubleArrayRegion,
    .GetStringUTFChars = GetStringUTFChars,
    .ReleaseStringUTFChars = ReleaseStringUTFChars,
};
const JNIEnv fake_env = &functions;

static jint GetEnv(JavaVM *machine, void **env, jint version) {
    (void)machine, (void)version;
    *env = (void *)&fake_env;
    return JNI_OK;
}
static const struct JNIInvokeInterface_ machine_functions = {.GetEnv = GetEnv};
const JavaVM fake_machine = &machine_functions;
