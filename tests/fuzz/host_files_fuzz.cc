// SPDX-License-Identifier: Apache-2.0
// Texts of sysfs, procfs and cgroupfs: byte 0 picks the reader.
#include <cstdlib>

#include "agent/facts/dcb.h"
#include "agent/facts/file_counters.h"
#include "agent/facts/job_limits.h"
#include "agent/facts/kernel_users.h"
#include "agent/facts/pci.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready;
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0: {
      v1::RdmaCgroup cgroup;
      const absl::Status status = facts::MergeRdmaLimits(text, &cgroup);
      if (!status.ok() && !absl::IsDataLoss(status)) std::abort();
      break;
    }
    case 1: {
      v1::KernelUsers users;
      facts::AddNfsMounts(text, &users);
      for (const v1::KernelUser& user : users.users()) {
        if (!user.has_target()) std::abort();
      }
      break;
    }
    case 2: {
      v1::PortBuffer buffer;
      const bool table = facts::ParseBufferThresholds(text, &buffer);
      if (buffer.xoff_bytes_size() != buffer.xon_bytes_size()) std::abort();
      if (table != (buffer.xoff_bytes_size() > 0)) std::abort();
      break;
    }
    case 3:
      facts::FindAerTotal(text, "TOTAL_ERR_COR");
      break;
    default:
      facts::ParseLinkSpeed(text);
  }
  return 0;
}
