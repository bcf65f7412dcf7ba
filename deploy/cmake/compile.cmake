# SPDX-License-Identifier: Apache-2.0
# How our own code is compiled: warnings, sanitizers, linker, precompiled headers, and the functions
# that every folder's CMakeLists.txt uses.

add_compile_options(-Wall -Wextra -Wpedantic -Wno-missing-field-initializers -fno-omit-frame-pointer)
# Same objects from any checkout folder, so that ccache serves them all.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -fpch-preprocess)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # clang 19 takes libstdc++ 12's own use of get_temporary_buffer (std::stable_sort) for ours.
  add_compile_options(-Wno-unused-command-line-argument -Wno-deprecated-declarations)
  # A precompiled header without times of files in it: else ccache knows no object in another clone.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

find_program(ROCEREADY_LLD NAMES ld.lld ld.lld-19)
if(ROCEREADY_LLD)
  add_link_options(-fuse-ld=lld)
endif()
# A program, and so its package, asks for the shared libraries that it calls, not for all that were offered.
add_link_options(-Wl,--as-needed)

# Applied per target, not globally: generated code stays uninstrumented (it is not ours, and it is
# most of the build time).
function(roceready_instrument target)
  if(ROCEREADY_SANITIZE STREQUAL "address")
    # One build serves the tests and, with clang, the fuzz targets.
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all
      $<$<CXX_COMPILER_ID:Clang>:-fsanitize=fuzzer-no-link>)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  elseif(ROCEREADY_SANITIZE STREQUAL "thread")
    # The macro makes protobuf's MapFieldBase (map_field.h) a member larger than in the packaged
    # library and in our uninstrumented messages: every message with a map would be torn.
    target_compile_options(${target} PRIVATE -fsanitize=thread -U__SANITIZE_THREAD__)
    target_link_options(${target} PUBLIC -fsanitize=thread)
  endif()
endfunction()

# For the few files whose templates (Beast, CLI11) take minutes under UndefinedBehaviorSanitizer; they keep
# AddressSanitizer. Called in the folder that has the files.
function(roceready_spare_from_ubsan)
  if(ROCEREADY_SANITIZE STREQUAL "address")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -fno-sanitize=undefined)
  endif()
endfunction()

# roceready_library(NAME SOURCES a.cc ... DEPS lib ... [NO_PCH])
# One static library a folder. With DEPS that include roceready_proto it shares one precompiled
# header of the message types (0.5 s a file instead of 3 s).
function(roceready_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
  target_compile_options(${name} PRIVATE -Werror)
  roceready_instrument(${name})
  if(NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM roceready_message_pch)
    target_link_libraries(${name} PUBLIC roceready_proto fmt::fmt)
  endif()
endfunction()

# roceready_program(NAME SOURCES ... DEPS ...)
function(roceready_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  target_compile_options(${name} PRIVATE -Werror)
  roceready_instrument(${name})
endfunction()

# For code of tests: it runs once, and under sanitizers the optimizer takes two thirds of the compiler's time on it.
function(roceready_compile_quickly target)
  target_compile_options(${target} PRIVATE -O0)
endfunction()

# roceready_test(NAME SOURCES ... DEPS ... [LABELS ...])
# All test programs that this build has: of a sanitizer build only these are wanted.
add_custom_target(roceready_tests)

# One test program per folder of the tree; run by ctest under its labels (default: unit). Add the
# label `tsan` where the test has threads and no gRPC in it: those also run under ThreadSanitizer.
function(roceready_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  # ThreadSanitizer is for some of the tests; the rest is not even built.
  if(ROCEREADY_SANITIZE STREQUAL "thread" AND NOT "tsan" IN_LIST ARG_LABELS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  add_dependencies(roceready_tests ${name})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} roceready_source_path roceready_proto fmt::fmt
    GTest::gmock GTest::gtest GTest::gtest_main)
  target_compile_options(${name} PRIVATE -Werror)
  roceready_instrument(${name})
  roceready_compile_quickly(${name})
  target_precompile_headers(${name} REUSE_FROM roceready_test_pch)
  # g++ 12 takes std::string's own code for ours where it comes precompiled, and sees copies out of bounds.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-restrict>)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600
    ENVIRONMENT "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/support/leaks.supp:print_suppressions=0;\
TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/support/races.supp")
endfunction()

# roceready_fuzz(NAME SOURCE file.cc DEPS ... SEEDS folder)
# A libFuzzer target, built with ROCEREADY_SANITIZE=address and clang. tests/run gives each target a few
# seconds from its seeds.
function(roceready_fuzz name)
  cmake_parse_arguments(ARG "" "SOURCE;SEEDS" "DEPS" ${ARGN})
  if(ROCEREADY_SANITIZE STREQUAL "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_executable(${name} ${ARG_SOURCE})
    add_dependencies(roceready_tests ${name})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE ${ARG_DEPS})
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
    add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/tests/fuzz/run $<TARGET_FILE:${name}> ${ARG_SEEDS})
    set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 300)
  endif()
endfunction()
