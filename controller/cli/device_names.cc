// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/device_names.h"

#include "controller/cli/fleet_client.h"

namespace roceready::cli {

void DeviceNames::Learn(const std::set<std::string>& hosts) {
  for (const std::string& host : hosts) {
    if (asked_.size() == kMaxHosts) return;
    if (!asked_.insert(host).second) continue;
    v1::GetHostFactsRequest request;
    request.set_host(host);
    request.mutable_read_mask()->add_paths("rdma_devices");
    const auto answer = client_->GetHostFacts(request);
    if (!answer.ok()) continue;
    for (const v1::RdmaDevice& device : answer->facts().rdma_devices()) {
      names_[{host, device.id()}] = device.name();
    }
  }
}

std::string DeviceNames::Find(const std::string& host, const std::string& device_id) const {
  const auto found = names_.find({host, device_id});
  return found == names_.end() ? std::string() : found->second;
}

}  // namespace roceready::cli
