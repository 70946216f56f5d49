# Compiles with zig, for a C library old enough for any Linux in use. Pass -DZIG=folder that zig.py
# wrote, and -DZIG_ARCH=x86_64|aarch64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${ZIG_ARCH})
set(CMAKE_C_COMPILER ${ZIG}/cc -target ${ZIG_ARCH}-linux-gnu.2.17)
set(CMAKE_CXX_COMPILER ${ZIG}/c++ -target ${ZIG_ARCH}-linux-gnu.2.17)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZIG ZIG_ARCH)
# The jar should not carry the debugging information of the C++ library.
set(CMAKE_SHARED_LINKER_FLAGS_INIT -s)
