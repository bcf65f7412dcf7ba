// SPDX-License-Identifier: Apache-2.0
// mlx5's vendor driver: /sys/class/net/X/qos (its en_sysfs.c).
#include <optional>
#include <vector>

#include "agent/facts/dcb.h"
#include "agent/facts/readings.h"

namespace roceready::facts {

bool ParseBufferThresholds(std::string_view text, v1::PortBuffer* buffer) {
  std::vector<uint32_t> xoff, xon;
  bool in_table = false;
  for (const std::string_view line : Lines(text)) {
    const std::vector<std::string_view> words = Words(line);
    if (words.size() == 4 && words[0] == "buffer") {
      in_table = words[2] == "xoff_threshold" && words[3] == "xon_threshold";
      continue;
    }
    if (!in_table || words.size() != 4) continue;
    const std::optional<int64_t> number = ParseNumber(words[0]);
    const std::optional<int64_t> off = ParseNumber(words[2]);
    const std::optional<int64_t> on = ParseNumber(words[3]);
    const bool next = number == static_cast<int64_t>(xoff.size());
    if (!next || !off || !on || *off < 0 || *on < 0 || *off > UINT32_MAX || *on > UINT32_MAX) {
      return false;
    }
    xoff.push_back(static_cast<uint32_t>(*off));
    xon.push_back(static_cast<uint32_t>(*on));
  }
  buffer->mutable_xoff_bytes()->Add(xoff.begin(), xoff.end());
  buffer->mutable_xon_bytes()->Add(xon.begin(), xon.end());
  return !xoff.empty();
}

void ReadVendorDcb(const HostRoot& root, const std::string& name, v1::Dcb* dcb) {
  const std::string folder = fmt::format("/sys/class/net/{}/qos", name);
  if (dcb->buffer().reading().outcome() == v1::OUTCOME_OK) {
    const absl::StatusOr<std::string> text = root.Read(folder + "/buffer_size");
    if (text.ok()) ParseBufferThresholds(*text, dcb->mutable_buffer());
  }
  if (dcb->app_trust().reading().outcome() == v1::OUTCOME_OK) return;
  const absl::StatusOr<std::string> trust = root.ReadWord(folder + "/trust");
  if (!trust.ok() || (*trust != "dscp" && *trust != "pcp")) return;
  *dcb->mutable_app_trust()->mutable_reading() = OkReading(v1::SOURCE_VENDOR_SYSFS);
  dcb->mutable_app_trust()->clear_order();
  dcb->mutable_app_trust()->add_order(*trust);
}

}  // namespace roceready::facts
