// SPDX-License-Identifier: Apache-2.0
// All ways of an audit's probes, and the report that is printed of them.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "controller/cli/report_output.h"
#include "roceready/v1/probe_report.pb.h"

namespace roceready::cli {

class ProbeWays {
 public:
  // A later result of a way takes the place of an earlier one.
  void Add(const v1::ProbeResult& result);
  // Of a pair without a result, as an audit that was judged says it.
  void AddNotProbed(const google::protobuf::RepeatedPtrField<v1::Finding>& findings);

  // By the names of their hosts.
  std::vector<const v1::ProbeWay*> Sorted() const;
  std::set<std::string> Hosts() const;
  // Pairs with a result.
  std::size_t results() const { return probe_ids_.size(); }

  // Gives each end its device's name of the moment. Empty: not known.
  using NameOf = std::function<std::string(const std::string& host, const std::string& device_id)>;
  void NameDevices(const NameOf& name_of);

 private:
  // Host, device and port of the sender, host and device of the receiver: what a finding says.
  using Key = std::tuple<std::string, std::string, std::uint32_t, std::string, std::string>;
  static Key KeyOf(const v1::ProbeWay& way);

  std::map<Key, v1::ProbeWay> ways_;
  std::set<std::string> probe_ids_;
};

// Host and device of the sender, and of the receiver.
using WayEnds = std::pair<std::pair<std::string, std::string>, std::pair<std::string, std::string>>;
WayEnds EndsOf(const v1::ProbeWay& way);
// The ways on which a check of probes failed that perftest can show again.
std::set<WayEnds> BadWays(const google::protobuf::RepeatedPtrField<v1::Finding>& findings);

// With the commands of perftest for each way on which a check of probes failed. Device names have
// been given.
v1::ProbeReport ProbeReportOf(const AuditResult& audit, const ProbeWays& ways);

}  // namespace roceready::cli
