# Compiles with zig, for a C library old enough for any Linux in use, and without debugging
# information. Pass -DZIG=folder that zig.py wrote, and -DZIG_ARCH=x86_64|aarch64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${ZIG_ARCH})
# zig compiles its C++ library anew for another level, or with debugging information, and takes two
# minutes. So CMake's own checks use the options of a release.
set(TARGET -target ${ZIG_ARCH}-linux-gnu.2.17 -O3 -s)
set(CMAKE_C_COMPILER ${ZIG}/cc ${TARGET})
set(CMAKE_CXX_COMPILER ${ZIG}/c++ ${TARGET})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZIG ZIG_ARCH)
