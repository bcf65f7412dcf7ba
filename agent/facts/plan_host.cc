// SPDX-License-Identifier: Apache-2.0
// Readings of the host as a whole.
#include "agent/facts/firewall.h"
#include "agent/facts/firmware.h"
#include "agent/facts/kernel.h"
#include "agent/facts/kernel_users.h"
#include "agent/facts/planner.h"
#include "agent/facts/rdma_stack.h"
#include "agent/facts/rdma_use.h"
#include "agent/facts/readings.h"
#include "proto/contract/ids.h"

namespace roceready::facts {
namespace {

using netlink::Protocol;

}  // namespace

void Planner::PlanKernel(const std::string& host) {
  Add({"kernel", std::string(kHostLane), "kernel and modules", v1::SOURCE_PROCFS,
       [sources = sources_, host] {
         Fragment fragment;
         *fragment.facts.mutable_identity() = ReadIdentity(sources->root(), host);
         *fragment.facts.mutable_kernel() = ReadKernel(sources->root());
         return fragment;
       },
       [host](const v1::Reading& reading) {
         Fragment fragment;
         fragment.facts.mutable_identity()->set_host(host);
         v1::KernelFacts* kernel = fragment.facts.mutable_kernel();
         *kernel->mutable_reading() = reading;
         *kernel->mutable_job_limits()->mutable_reading() = reading;
         *kernel->mutable_job_limits()->mutable_rdma_cgroup()->mutable_reading() = reading;
         return fragment;
       }});
}

void Planner::PlanRdmaStack() {
  Add({"rdma_stack", std::string(kHostLane), "RDMA subsystem", v1::SOURCE_RDMA_NETLINK,
       [sources = sources_] {
         Fragment fragment;
         const auto rdma = sources->OpenNetlink(Protocol::kRdma);
         *fragment.facts.mutable_rdma_stack() =
             ReadRdmaStack(rdma.ok() ? rdma->get() : nullptr, sources->root());
         return fragment;
       },
       [](const v1::Reading& reading) {
         Fragment fragment;
         *fragment.facts.mutable_rdma_stack()->mutable_reading() = reading;
         return fragment;
       }});
}

void Planner::PlanRdmaUse() {
  Add({"rdma_use", std::string(kHostLane), "users of RDMA", v1::SOURCE_RDMA_NETLINK,
       [sources = sources_, inventory = inventory_] {
         Fragment fragment;
         const auto rdma = sources->OpenNetlink(Protocol::kRdma);
         if (rdma.ok()) {
           *fragment.facts.mutable_rdma_use() = ReadRdmaUse(**rdma, sources->root(), *inventory);
         } else {
           *fragment.facts.mutable_rdma_use()->mutable_reading() =
               ReadingOf(rdma.status(), v1::SOURCE_RDMA_NETLINK);
         }
         return fragment;
       },
       [](const v1::Reading& reading) {
         Fragment fragment;
         *fragment.facts.mutable_rdma_use()->mutable_reading() = reading;
         return fragment;
       }});
}

void Planner::PlanKernelUsers() {
  Add({"kernel_users", std::string(kHostLane), "kernel users of RDMA", v1::SOURCE_PROCFS,
       [sources = sources_] {
         Fragment fragment;
         *fragment.facts.mutable_kernel_users() = ReadKernelUsers(sources->root());
         return fragment;
       },
       [](const v1::Reading& reading) {
         Fragment fragment;
         *fragment.facts.mutable_kernel_users()->mutable_reading() = reading;
         return fragment;
       }});
}

void Planner::PlanFirewall() {
  Add({"firewall", std::string(kFilterLane), "packet filter", v1::SOURCE_NETFILTER,
       [sources = sources_] {
         Fragment fragment;
         *fragment.facts.mutable_firewall() = ReadFirewall(*sources);
         return fragment;
       },
       [](const v1::Reading& reading) {
         Fragment fragment;
         *fragment.facts.mutable_firewall()->mutable_reading() = reading;
         *fragment.facts.mutable_firewall()->mutable_legacy() = reading;
         fragment.facts.mutable_firewall()->mutable_legacy()->set_source(v1::SOURCE_PROCFS);
         return fragment;
       }});
}

void Planner::PlanHealth() {
  Add({"health", std::string(kDevlinkLane), "devlink health reporters", v1::SOURCE_DEVLINK,
       [sources = sources_, inventory = inventory_] {
         const auto devlink = OpenGeneric(*sources, netlink::kDevlinkFamily);
         Health health = HealthOf(
             devlink.ok() ? netlink::ReadDevlinkHealth(*devlink->transport, devlink->family)
                          : devlink.status(),
             inventory->pci_addresses);
         return Fragment{std::move(health.facts), {}, std::move(health.counters)};
       },
       [inventory = inventory_](const v1::Reading& reading) {
         Fragment fragment;
         for (const std::string& address : inventory->pci_addresses) {
           v1::PciFunction* function = fragment.facts.add_pci_functions();
           function->set_id(PciId(address));
           *function->mutable_health()->mutable_reading() = reading;
         }
         return fragment;
       }});
}

}  // namespace roceready::facts
