// SPDX-License-Identifier: Apache-2.0
// Readings of PCI functions: NICs and GPUs. Each has a thread of its own.
#include "agent/facts/eswitch.h"
#include "agent/facts/file_counters.h"
#include "agent/facts/firmware.h"
#include "agent/facts/gpus.h"
#include "agent/facts/pci.h"
#include "agent/facts/planner.h"
#include "agent/facts/readings.h"
#include "proto/contract/ids.h"

namespace roceready::facts {

void Planner::PlanPciFunction(const std::string& address) {
  const std::string id = PciId(address);
  Add({"pci " + id, id, "PCI function " + address, v1::SOURCE_SYSFS,
       [sources = sources_, address] {
         Fragment fragment;
         *fragment.facts.add_pci_functions() = ReadPciFunction(sources->root(), address);
         fragment.ports.push_back(ReadPciErrorTotals(sources->root(), address));
         return fragment;
       },
       [id](const v1::Reading& reading) {
         Fragment fragment;
         v1::PciFunction* function = fragment.facts.add_pci_functions();
         function->set_id(id);
         *function->mutable_reading() = reading;
         *function->mutable_sriov()->mutable_reading() = reading;
         PortTotals& errors = fragment.ports.emplace_back();
         errors.counters.set_owner_id(id);
         *errors.counters.mutable_reading() = reading;
         return fragment;
       }});
}

void Planner::PlanFirmware(const std::string& address) {
  const std::string id = PciId(address);
  Add({"firmware " + id, id, "devlink info of " + address, v1::SOURCE_DEVLINK,
       [sources = sources_, address] {
         Fragment fragment;
         v1::PciFunction* function = fragment.facts.add_pci_functions();
         function->set_id(PciId(address));
         const auto devlink = OpenGeneric(*sources, netlink::kDevlinkFamily);
         if (devlink.ok()) {
           *function = ReadFirmware(*devlink->transport, devlink->family, address);
           *function->mutable_parameters() =
               ReadDevlinkParameters(*devlink->transport, devlink->family, address);
           *function->mutable_eswitch() =
               ReadEswitch(*devlink->transport, devlink->family, sources->root(), address,
                           function->firmware().reading());
         } else {
           FillFirmware(devlink.status(), function);
           *function->mutable_parameters()->mutable_reading() =
               ReadingOf(devlink.status(), v1::SOURCE_DEVLINK);
           *function->mutable_eswitch()->mutable_reading() = function->parameters().reading();
         }
         return fragment;
       },
       [id](const v1::Reading& reading) {
         Fragment fragment;
         v1::PciFunction* function = fragment.facts.add_pci_functions();
         function->set_id(id);
         *function->mutable_firmware()->mutable_reading() = reading;
         *function->mutable_parameters()->mutable_reading() = reading;
         *function->mutable_eswitch()->mutable_reading() = reading;
         return fragment;
       }});
}

void Planner::PlanGpu(const std::string& address) {
  const std::string id = PciId(address);
  Add({"gpu " + id, id, "GPU " + address, v1::SOURCE_SYSFS,
       [sources = sources_, address] {
         Fragment fragment;
         *fragment.facts.add_gpus() = ReadGpu(sources->root(), address);
         return fragment;
       },
       [id](const v1::Reading& reading) {
         Fragment fragment;
         v1::Gpu* gpu = fragment.facts.add_gpus();
         gpu->set_id(id);
         *gpu->mutable_reading() = reading;
         return fragment;
       }});
}

}  // namespace roceready::facts
