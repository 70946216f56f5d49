# Programs of the targets in tests/fuzz, with the library's object files in them: `fuzz` with clang's
# libFuzzer, and `replay`, which any compiler can build. The flags that compile the objects come from
# tests/fuzz/run.py and tests/sanitizers.

# libFuzzer's name for a build that leaves out what random input cannot pass, such as checksums.
target_compile_definitions(gkl_shim PRIVATE FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)

# CUDA kernels, compiled for the host. Each file names its function find_kernel().
add_library(kernels_on_host OBJECT EXCLUDE_FROM_ALL tests/pairhmm/cuda_on_host.cpp
            tests/prefilter/cuda_on_host.cpp tests/mem/cuda_on_host.cpp
            tests/correct/cuda_on_host.cpp)
target_include_directories(kernels_on_host PRIVATE kernels)
target_compile_options(kernels_on_host PRIVATE -ffp-contract=off -Wno-unknown-pragmas)
set_target_properties(kernels_on_host PROPERTIES UNITY_BUILD OFF)
# Fuzzing looks for input that takes new ways through the library, not through the stand-ins.
add_library(stand_ins OBJECT EXCLUDE_FROM_ALL tests/fakes/driver.cpp tests/fakes/jvm.c)
target_include_directories(stand_ins SYSTEM PUBLIC ${JNI_INCLUDE} ${JNI_MD_INCLUDE})
target_compile_options(stand_ins PRIVATE $<$<C_COMPILER_ID:Clang>:-fno-sanitize=fuzzer-no-link>)
foreach(room pairhmm prefilter mem correct)
  set_source_files_properties(tests/${room}/cuda_on_host.cpp
                              PROPERTIES COMPILE_DEFINITIONS find_kernel=find_${room}_kernel)
endforeach()
foreach(program fuzz replay)
  add_executable(${program} EXCLUDE_FROM_ALL tests/fuzz/${program}.cpp $<TARGET_OBJECTS:gkl_shim>
                                             $<TARGET_OBJECTS:kernels_on_host>)
  target_include_directories(${program} PRIVATE kernels kernels/include kernels/internal)
  target_link_libraries(${program} PRIVATE stand_ins Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(${program} PRIVATE -Wl,--wrap=aligned_alloc -Wl,--wrap=free)
endforeach()
target_link_options(fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
# clang links its sanitizers into programs alone, so the library beside them lacks them.
target_link_options(gkl_shim PRIVATE -Wl,-z,undefs)
