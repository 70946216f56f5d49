# The jar for GATK: gkl-shim.jar, the agent with the native library. The JDK's own tools make it;
# nothing is downloaded.
set(JAR_DIR ${CMAKE_BINARY_DIR}/jar)
if(NOT JNI_SOURCES)
  gkl_shim_leave_out(GKL_SHIM_JAR "the jar for GATK" "no JDK is found")
  return()
endif()

# The jar's native/ holds a folder for each platform that it serves.
if(GKL_SHIM_ALL_PLATFORMS)
  set(NATIVE_DIR ${CMAKE_BINARY_DIR}/platforms)
else()
  set(NATIVE_DIR ${JAR_DIR}/platforms)
  set(PLATFORM_LIBRARIES ${NATIVE_DIR}/linux-${CMAKE_SYSTEM_PROCESSOR}/libgkl_shim.so)
  add_custom_command(
    OUTPUT ${PLATFORM_LIBRARIES}
    COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:gkl_shim> ${PLATFORM_LIBRARIES}
    DEPENDS gkl_shim
    VERBATIM)
endif()

file(GLOB_RECURSE JAVA_SOURCES CONFIGURE_DEPENDS java/src/*.java)
file(GLOB_RECURSE JAVA_RESOURCES CONFIGURE_DEPENDS java/src/main/resources/*)
# GATK's side of the interface, for the compiler alone: a JVM finds GATK's own classes.
file(GLOB PART_STUBS CONFIGURE_DEPENDS java/src/main/java/org/gklshim/gatk/*/classes.txt)
set(STUBS ${PROJECT_SOURCE_DIR}/java/gatk/Stubs.java ${PROJECT_SOURCE_DIR}/java/gatk/classes.txt
    ${PART_STUBS})
set(PART_LIST ${PROJECT_SOURCE_DIR}/java/gatk/PartList.java)
set(ABOUT "Implementation-Title: gkl-shim\nImplementation-Version: ${PROJECT_VERSION}\n")
file(WRITE ${JAR_DIR}/agent.mf "Premain-Class: org.gklshim.Agent\n${ABOUT}")
set(JAVAC_OPTIONS -encoding UTF-8 --release 8 -Xlint:-options)
add_custom_command(
  OUTPUT ${JAR_DIR}/classes.stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf stubs classes replaced
  COMMAND ${CMAKE_COMMAND} -E make_directory stubs
  COMMAND ${Java_JAVA_EXECUTABLE} ${STUBS} ${JAVAC_OPTIONS} -d stubs
  COMMAND ${Java_JAVAC_EXECUTABLE} ${JAVAC_OPTIONS} -cp stubs -d classes ${JAVA_SOURCES}
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/java/src/main/resources classes
  COMMAND ${Java_JAVA_EXECUTABLE} -cp classes ${PART_LIST} classes
  # The classes that replace GATK's go to a folder that no class loader searches. Only the agent
  # reads them there.
  COMMAND ${CMAKE_COMMAND} -E copy_directory classes replaced/org/gklshim/replacements
  COMMAND ${CMAKE_COMMAND} -E rm -rf replaced/org/gklshim/replacements/org/gklshim
  COMMAND ${CMAKE_COMMAND} -E touch classes.stamp
  DEPENDS ${JAVA_SOURCES} ${JAVA_RESOURCES} ${STUBS} ${PART_LIST}
  WORKING_DIRECTORY ${JAR_DIR}
  COMMENT "Compiling the classes for GATK"
  VERBATIM)
add_custom_command(
  OUTPUT ${JAR_DIR}/gkl-shim.jar
  COMMAND ${CMAKE_COMMAND} -E rm -rf native
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${NATIVE_DIR} native
  COMMAND ${Java_JAR_EXECUTABLE} --create --file gkl-shim.jar --manifest agent.mf
          -C classes org/gklshim -C replaced org native
  DEPENDS ${JAR_DIR}/classes.stamp ${JAR_DIR}/agent.mf ${PLATFORM_LIBRARIES}
  WORKING_DIRECTORY ${JAR_DIR}
  COMMENT "Building the jar for GATK"
  VERBATIM)
set(JARS ${JAR_DIR}/gkl-shim.jar)

# The Python package also has a jar that times calls, for `gkl-shim bench`.
if(SKBUILD)
  file(GLOB BENCH_SOURCES CONFIGURE_DEPENDS java/bench/org/gklshim/bench/*.java)
  add_custom_command(
    OUTPUT ${JAR_DIR}/gkl-shim-bench.jar
    COMMAND ${Java_JAVAC_EXECUTABLE} ${JAVAC_OPTIONS} -cp classes:stubs -d bench ${BENCH_SOURCES}
    COMMAND ${Java_JAR_EXECUTABLE} --create --file gkl-shim-bench.jar -C bench org
    DEPENDS ${BENCH_SOURCES} ${JAR_DIR}/classes.stamp
    WORKING_DIRECTORY ${JAR_DIR}
    COMMENT "Building the jar for benchmarks"
    VERBATIM)
  list(APPEND JARS ${JAR_DIR}/gkl-shim-bench.jar)
endif()

add_custom_target(jars ALL DEPENDS ${JARS})
install(FILES ${JARS} DESTINATION ${JAVADIR})
