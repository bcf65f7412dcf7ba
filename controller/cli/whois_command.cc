// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/whois_command.h"

#include <fmt/format.h>
#include <google/protobuf/util/time_util.h>

#include "checks/report/layout.h"
#include "controller/cli/fleet_client.h"
#include "proto/contract/errors.h"
#include "proto/process/exit_status.h"

namespace roceready::cli {
namespace {

using google::protobuf::util::TimeUtil;

// As grep(1) has it.
constexpr int kNobody = 1;

std::string_view TypeWord(v1::GidType type) {
  return type == v1::GID_TYPE_ROCE_V2 ? "v2" : type == v1::GID_TYPE_ROCE_V1 ? "v1" : "IB";
}

std::string GidsOf(const v1::Place& place) {
  std::string text;
  for (const v1::Gid& gid : place.gids()) {
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", gid.index(), gid.gid(),
                        TypeWord(gid.type()));
  }
  return text;
}

}  // namespace

std::string RenderPlaces(const v1::WhoIsResponse& response) {
  std::string text;
  for (const v1::Place& place : response.places()) {
    text += fmt::format("{} {}", place.host(), place.net_device());
    if (!place.rdma_device().empty()) {
      text += fmt::format(" ({}/{})", place.rdma_device(), place.port());
    }
    text += fmt::format(": {}\n", place.as());
    if (!place.addresses().empty()) {
      text += fmt::format("  addresses  {}\n", fmt::join(place.addresses(), ", "));
    }
    text += fmt::format("  MAC        {}\n", place.mac());
    if (!place.gids().empty()) text += fmt::format("  GIDs       {}\n", GidsOf(place));
    text += fmt::format("  facts      {} s old\n", TimeUtil::DurationToSeconds(place.fact_age()));
  }
  if (response.more_places() > 0) text += fmt::format("and {} more\n", response.more_places());
  return text;
}

int WhoIsCommand(const v1::ClientConfig& config, const WhoIsOptions& options,
                 const OutputOptions& output) {
  const auto client = FleetClient::Create(config);
  if (!client.ok()) return Fail(client.status(), output.format);
  const auto answer = (*client)->WhoIs(options.what);
  if (!answer.ok()) return Fail(answer.status(), output.format);
  if (answer->places().empty()) {
    Fail(NotFound("no host that the controller knows has {}", report::Harmless(options.what)),
         output.format);
    return kNobody;
  }
  PrintResult(output.format == Format::kJson ? ToJson(*answer) : RenderPlaces(*answer));
  return kExitOk;
}

}  // namespace roceready::cli
