# SPDX-License-Identifier: Apache-2.0
# `cmake --install` and three .deb packages (agent, controller, cli) by `cpack` in the build folder.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(UNIT_DIR lib/systemd/system)
set(ETC_DIR /etc/roceready)

install(TARGETS roceready-agent RUNTIME DESTINATION bin COMPONENT agent)
install(FILES systemd/roceready-agent.service DESTINATION ${UNIT_DIR} COMPONENT agent)
install(FILES systemd/roceready-agent.sysusers DESTINATION lib/sysusers.d RENAME roceready-agent.conf
        COMPONENT agent)
install(FILES etc/agent.yaml DESTINATION ${ETC_DIR} COMPONENT agent)

install(TARGETS roceready-controller RUNTIME DESTINATION bin COMPONENT controller)
install(FILES systemd/roceready-controller.service DESTINATION ${UNIT_DIR} COMPONENT controller)
install(FILES systemd/roceready-controller.sysusers DESTINATION lib/sysusers.d
        RENAME roceready-controller.conf COMPONENT controller)
install(FILES etc/controller.yaml DESTINATION ${ETC_DIR} COMPONENT controller)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/checks/policy/policies/ DESTINATION ${ETC_DIR}/policies
        COMPONENT controller FILES_MATCHING PATTERN "*.yaml")

install(TARGETS roceready RUNTIME DESTINATION bin COMPONENT cli)
install(FILES etc/client.yaml DESTINATION ${ETC_DIR} COMPONENT cli)

foreach(component agent controller cli)
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/roceready-${component}
          RENAME copyright COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME roceready)
set(CPACK_PACKAGE_VENDOR roceready)
set(CPACK_PACKAGE_CONTACT "roceready maintainers <maintainers@roceready.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL agent controller cli)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_SET_DESTDIR ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tells whether hosts are ready to carry RoCE traffic")

set(CPACK_DEBIAN_AGENT_PACKAGE_NAME roceready-agent)
set(CPACK_COMPONENT_AGENT_DESCRIPTION
    "The agent of roceready: reads NIC, PFC, MTU, ECN and GID settings of a host from the kernel\n and runs RDMA probes that the controller orders.")
set(CPACK_DEBIAN_AGENT_PACKAGE_DEPENDS "systemd, ibverbs-providers")
set(CPACK_DEBIAN_CONTROLLER_PACKAGE_NAME roceready-controller)
set(CPACK_COMPONENT_CONTROLLER_DESCRIPTION
    "The controller of roceready: keeps the facts of every host, judges them against a policy,\n orders probes and serves gRPC and REST.")
set(CPACK_DEBIAN_CONTROLLER_PACKAGE_DEPENDS "systemd")
set(CPACK_DEBIAN_CLI_PACKAGE_NAME roceready)
set(CPACK_COMPONENT_CLI_DESCRIPTION
    "The command line of roceready: audit a fleet before a job, or saved facts without a controller.")

set(DEBIAN_DIR ${CMAKE_CURRENT_SOURCE_DIR}/debian)
set(CONTROL_STAGE ${CMAKE_CURRENT_BINARY_DIR}/debian-control)
# dpkg wants the scripts by their bare names: one folder a package.
foreach(component agent controller cli)
  foreach(script postinst prerm postrm conffiles)
    if(EXISTS ${DEBIAN_DIR}/${component}.${script})
      configure_file(${DEBIAN_DIR}/${component}.${script} ${CONTROL_STAGE}/${component}/${script} COPYONLY)
      list(APPEND ${component}_control ${CONTROL_STAGE}/${component}/${script})
    endif()
  endforeach()
endforeach()
set(CPACK_DEBIAN_AGENT_PACKAGE_CONTROL_EXTRA "${agent_control}")
set(CPACK_DEBIAN_CONTROLLER_PACKAGE_CONTROL_EXTRA "${controller_control}")
set(CPACK_DEBIAN_CLI_PACKAGE_CONTROL_EXTRA "${cli_control}")

include(CPack)
