# Programs of the targets in tests/fuzz, with the library's object files in them: `fuzz` with clang's
# libFuzzer, and `replay`, which any compiler can build. The flags that compile the objects come from
# tests/fuzz/run.py and tests/sanitizers.
foreach(program fuzz replay)
  add_executable(${program} EXCLUDE_FROM_ALL tests/fuzz/${program}.cpp tests/fakes/jvm.c
                                             $<TARGET_OBJECTS:gkl_shim>)
  target_include_directories(${program} PRIVATE kernels kernels/include kernels/internal)
  target_include_directories(${program} SYSTEM PRIVATE ${JNI_INCLUDE} ${JNI_MD_INCLUDE})
  target_link_libraries(${program} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(${program} PRIVATE -Wl,--wrap=aligned_alloc -Wl,--wrap=free)
endforeach()
target_link_options(fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
# clang links its sanitizers into programs alone, so the library beside them lacks them.
target_link_options(gkl_shim PRIVATE -Wl,-z,undefs)
