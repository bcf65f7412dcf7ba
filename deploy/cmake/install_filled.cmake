# SPDX-License-Identifier: Apache-2.0
# Runs when something is installed (packaging.cmake), where the prefix is known at last: fills @BINDIR@, @LIBEXECDIR@,
# @ETCDIR@ and @DOCDIR@ into TEMPLATE, a file named *.in (any other is taken as it is), and puts it into DESTINATION, where a word
# in angle brackets is a directory: <lib>, <etc>. With no TEMPLATE, DESTINATION is made and stays empty.
#
# With the prefix /usr configuration is in /etc/roceready, with any other in etc/roceready below it.
set(BINDIR ${CMAKE_INSTALL_PREFIX}/bin)
set(LIBEXECDIR ${CMAKE_INSTALL_PREFIX}/libexec)
set(DOCDIR ${CMAKE_INSTALL_PREFIX}/share/doc/${PACKAGE})
if(CMAKE_INSTALL_PREFIX MATCHES "^/usr/*$")
  set(ETCDIR /etc/roceready)
else()
  set(ETCDIR ${CMAKE_INSTALL_PREFIX}/etc/roceready)
endif()
string(REPLACE "<lib>" "${CMAKE_INSTALL_PREFIX}/lib" DESTINATION "${DESTINATION}")
string(REPLACE "<etc>" "${ETCDIR}" DESTINATION "${DESTINATION}")

if(TEMPLATE)
  get_filename_component(file ${TEMPLATE} NAME)
  set(source ${TEMPLATE})
  if(file MATCHES "[.]in$")
    string(REGEX REPLACE "[.]in$" "" file ${file})
    set(source ${FILLED_DIRECTORY}/${file})
    configure_file(${TEMPLATE} ${source} @ONLY)
  endif()
  # What an administrator has written is not ours to overwrite. (For the packages dpkg sees to that.)
  if(KEEP AND EXISTS "$ENV{DESTDIR}${DESTINATION}/${file}")
    message(STATUS "Kept: $ENV{DESTDIR}${DESTINATION}/${file}")
  else()
    file(INSTALL DESTINATION ${DESTINATION} TYPE FILE FILES ${source})
  endif()
else()
  file(INSTALL DESTINATION ${DESTINATION} TYPE DIRECTORY FILES "")
endif()
