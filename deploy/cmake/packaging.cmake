# SPDX-License-Identifier: Apache-2.0
# `cmake --install` and three .deb packages (agent, controller, cli) by `cpack` in the build folder.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(PACKAGE_STAGE ${CMAKE_CURRENT_BINARY_DIR}/package)

set(agent_package roceready-agent)
set(controller_package roceready-controller)
set(cli_package roceready)

# roceready_install_filled(COMPONENT DESTINATION TEMPLATE [KEEP]): see install_filled.cmake.
function(roceready_install_filled component destination template)
  install(CODE "
    set(PACKAGE ${${component}_package})
    set(TEMPLATE \"${template}\")
    set(DESTINATION \"${destination}\")
    set(KEEP \"${ARGN}\")
    set(FILLED_DIRECTORY \"${PACKAGE_STAGE}/filled\")
    include(\"${CMAKE_CURRENT_SOURCE_DIR}/cmake/install_filled.cmake\")" COMPONENT ${component})
endfunction()

# Configuration, which dpkg is told to keep as its administrator wrote it.
function(roceready_install_etc component subfolder)
  foreach(file IN LISTS ARGN)
    roceready_install_filled(${component} "<etc>${subfolder}" ${file} KEEP)
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "[.]in$" "" name ${name})
    file(APPEND ${PACKAGE_STAGE}/${component}/conffiles /etc/roceready${subfolder}/${name}\n)
  endforeach()
endfunction()

# roceready_compress(FILE OUTPUT): the same bytes each time.
find_program(GZIP gzip REQUIRED)
function(roceready_compress file output)
  execute_process(COMMAND ${GZIP} -9nc ${file} OUTPUT_FILE ${output} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Who wrote what else is in our programs: archives and header libraries (Boost's licence asks for no notice).
set(notices "")
foreach(package libgrpc-dev libprotobuf-dev libabsl-dev libre2-dev libyaml-cpp-dev libcli11-dev libsqlitecpp-dev
                nlohmann-json3-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    configure_file(/usr/share/doc/${package}/copyright ${PACKAGE_STAGE}/notices/${package}.copyright COPYONLY)
    list(APPEND notices ${PACKAGE_STAGE}/notices/${package}.copyright)
  endif()
endforeach()

# ---- what all three have ----------------------------------------------------------------------------------------

set(agent_manual roceready-agent.8)
set(agent_etc agent.yaml.in)
set(controller_manual roceready-controller.8)
set(controller_etc controller.yaml.in)
set(cli_manual roceready.1)
set(cli_etc client.yaml.in)

string(TIMESTAMP RELEASE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, where it is set
foreach(component agent controller cli)
  set(package ${${component}_package})
  set(manual ${${component}_manual})
  set(stage ${PACKAGE_STAGE}/${component})
  file(REMOVE ${stage}/conffiles)

  install(TARGETS ${package} RUNTIME DESTINATION bin COMPONENT ${component})
  roceready_install_etc(${component} "" ${CMAKE_CURRENT_SOURCE_DIR}/etc/${${component}_etc})
  roceready_install_filled(${component} "<etc>/pki" "")
  if(component STREQUAL "cli")
    install(FILES completion/roceready DESTINATION share/bash-completion/completions COMPONENT cli)
  endif()

  string(REGEX REPLACE ".*[.]" "man" section ${manual})
  configure_file(man/${manual}.in ${stage}/${manual} @ONLY)
  roceready_compress(${stage}/${manual} ${stage}/${manual}.gz)
  install(FILES ${stage}/${manual}.gz DESTINATION share/man/${section} COMPONENT ${component})

  configure_file(debian/changelog.in ${stage}/changelog @ONLY)
  roceready_compress(${stage}/changelog ${stage}/changelog.gz)
  set(documents share/doc/${package})
  install(FILES debian/copyright ${stage}/changelog.gz ${CMAKE_SOURCE_DIR}/proto/roceready/v1/config.proto
          DESTINATION ${documents} COMPONENT ${component})
  install(FILES ${notices} DESTINATION ${documents}/notices COMPONENT ${component})
endforeach()

# ---- the services -----------------------------------------------------------------------------------------------

foreach(COMPONENT agent controller)
  set(SERVICE ${${COMPONENT}_package})
  # What an administrator enables, and what the package masks, stops and purges with it.
  set(UNITS ${SERVICE}.service)
  if(COMPONENT STREQUAL agent)
    string(APPEND UNITS " roceready-agent-privileged.socket")
  endif()
  roceready_install_filled(${COMPONENT} "<lib>/systemd/system" ${CMAKE_CURRENT_SOURCE_DIR}/systemd/${SERVICE}.service.in)
  install(FILES systemd/${SERVICE}.sysusers DESTINATION lib/sysusers.d RENAME ${SERVICE}.conf COMPONENT ${COMPONENT})
  foreach(script postinst prerm postrm)
    configure_file(debian/service.${script}.in ${PACKAGE_STAGE}/${COMPONENT}/${script} @ONLY
                   FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endforeach()
endforeach()
# Not for people to start: systemd does, by its socket.
install(TARGETS roceready-agent-privileged RUNTIME DESTINATION libexec COMPONENT agent)
foreach(unit service socket)
  roceready_install_filled(agent "<lib>/systemd/system"
                           ${CMAKE_CURRENT_SOURCE_DIR}/systemd/roceready-agent-privileged.${unit}.in)
endforeach()
file(GLOB policies CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/checks/policy/policies/*.yaml)
roceready_install_etc(controller /policies ${policies})

# ---- cpack ------------------------------------------------------------------------------------------------------

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME roceready)
set(CPACK_PACKAGE_VENDOR roceready)
set(CPACK_PACKAGE_CONTACT "roceready maintainers <maintainers@roceready.invalid>")
set(CPACK_COMPONENTS_ALL agent controller cli)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
# The install scripts are to see /usr, not the folder that the package is made from: it goes into units.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tells whether hosts are ready to carry RoCE traffic")

set(CPACK_DEBIAN_AGENT_PACKAGE_NAME roceready-agent)
set(CPACK_COMPONENT_AGENT_DESCRIPTION
    "The agent: reads NIC, PFC, MTU, ECN and GID settings of a host from the\n kernel and runs the RDMA probes that the controller orders.")
set(CPACK_DEBIAN_AGENT_PACKAGE_DEPENDS "systemd, ibverbs-providers")
set(CPACK_DEBIAN_AGENT_PACKAGE_RECOMMENDS rdma-core)
set(CPACK_DEBIAN_CONTROLLER_PACKAGE_NAME roceready-controller)
set(CPACK_COMPONENT_CONTROLLER_DESCRIPTION
    "The controller: keeps the facts of every host, judges them against a policy,\n orders probes and serves gRPC and REST.")
set(CPACK_DEBIAN_CONTROLLER_PACKAGE_DEPENDS systemd)
set(CPACK_DEBIAN_CLI_PACKAGE_NAME roceready)
set(CPACK_COMPONENT_CLI_DESCRIPTION
    "The command line: audits a fleet before a job, or saved facts without a\n controller.")

# dpkg wants these by their bare names: one folder a package.
foreach(component agent controller cli)
  string(TOUPPER ${component} upper)
  file(GLOB control ${PACKAGE_STAGE}/${component}/postinst ${PACKAGE_STAGE}/${component}/prerm
       ${PACKAGE_STAGE}/${component}/postrm ${PACKAGE_STAGE}/${component}/conffiles)
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${control})
endforeach()

include(CPack)
