# SPDX-License-Identifier: Apache-2.0
# Runs in the build: writes the bytes of FILE as the array SYMBOL of C++ into OUTPUT, which HEADER declares.
file(READ ${FILE} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
get_filename_component(name ${FILE} NAME)
file(WRITE ${OUTPUT} "// Made from ${name}.
#include \"${HEADER}\"
const unsigned char ${SYMBOL}[] = {
${bytes}};
const std::size_t ${SYMBOL}_size = sizeof(${SYMBOL});
")
