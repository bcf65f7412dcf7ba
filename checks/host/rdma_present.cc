// SPDX-License-Identifier: Apache-2.0
// device.rdma-present: the host has RoCE ports, those that the job names, and their verbs node can
// be used.
#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/policy/pattern.h"
#include "checks/reading.h"
#include "checks/words.h"
#include "proto/contract/ids.h"

namespace roceready::checks {
namespace {

// The module that makes RDMA devices on the functions of a NIC driver.
std::string_view RdmaModuleOf(std::string_view driver) {
  if (driver == "mlx5_core") return "mlx5_ib";
  if (driver == "mlx4_core") return "mlx4_ib";
  if (driver == "bnxt_en") return "bnxt_re";
  if (driver == "ice" || driver == "i40e") return "irdma";
  if (driver == "hns3") return "hns_roce_hw_v2";
  if (driver == "qede") return "qedr";
  return {};
}

// What is there instead of a RoCE port.
std::string Instead(const HostView& host) {
  std::vector<std::string> others;
  for (const v1::RdmaDevice& device : host.facts().rdma_devices()) {
    const std::string protocol = device.protocol().empty() ? "no RoCE" : device.protocol();
    others.push_back(fmt::format("{} ({})", device.name(), protocol));
  }
  if (!others.empty()) return "no RoCE port among " + JoinWords(others);
  std::map<std::string, int> functions;
  for (const v1::PciFunction& function : host.facts().pci_functions()) {
    if (!RdmaModuleOf(function.driver()).empty()) ++functions[function.driver()];
  }
  std::string text = "no RDMA device";
  for (const auto& [driver, count] : functions) {
    text += fmt::format("; {} of {} without {}", Counted(count, "function"), driver,
                        RdmaModuleOf(driver));
  }
  return text;
}

void MendMissingDevice(const HostView& host, Draft& draft) {
  for (const v1::PciFunction& function : host.facts().pci_functions()) {
    const std::string_view module = RdmaModuleOf(function.driver());
    if (module.empty()) continue;
    draft.MendedBy("Load the RDMA half of the NIC driver, and see in the kernel log why it is not.",
                   fmt::format("modprobe {}", module), false);
    return;
  }
  draft.MendedBy(
      "Install or bind the RDMA driver of the NIC; look for a dead NIC in the kernel log.");
}

void JudgeVerbsNode(const HostView& host, const v1::RdmaDevice& device, Judge& judge) {
  v1::Subject subject = host.SubjectOfHost();
  subject.set_device_id(device.id());
  subject.set_label(fmt::format("{} {}", host.host(), device.name()));
  const v1::Reading reading = ReadingOf(device.has_uverbs(), device.uverbs());
  v1::Evidence evidence =
      host.EvidenceAt(RdmaPath(device.id(), "uverbs"), device.uverbs().path(), reading);
  switch (reading.outcome()) {
    case v1::OUTCOME_OK:
      return judge.Pass();
    case v1::OUTCOME_ABSENT:
      judge.Fail(subject)
          .Expected("a verbs node that programs can open")
          .Actual("no verbs node: no program can use the device")
          .RestsOn(std::move(evidence))
          .MendedBy("Load the module that makes /dev/infiniband/uverbs*.", "modprobe ib_uverbs",
                    false);
      return;
    default:
      judge.Unread(subject, std::move(evidence))
          .Expected("a verbs node that programs can open")
          .MendedBy(fmt::format(
              "Let the agent (and the job) open {}: mode 0666 is usual.",
              device.uverbs().path().empty() ? "/dev/infiniband/uverbs*" : device.uverbs().path()));
  }
}

// Every RDMA device has a port (ib_register_device() of the kernel wants one): a device that shows
// none was not read, unless it is known to speak something else than RoCE.
bool ShowsNoPort(const v1::RdmaDevice& device) {
  return device.ports().empty() && IsRocePort(device, v1::RdmaPort());
}

bool IsNamed(const HostView& host, const v1::RdmaDevice& device, const std::string& interface) {
  if (MatchesPattern(interface.substr(0, interface.find(':')), device.name())) return true;
  const std::string_view address = PciAddressOf(device.id());
  return std::ranges::any_of(host.facts().net_devices(), [&](const v1::NetDevice& net_device) {
    return !address.empty() && MatchesPattern(interface, net_device.name()) &&
           PciAddressOf(net_device.id()) == address;
  });
}

void JudgeDevicesWithoutPorts(const HostView& host, Judge& judge) {
  const std::vector<std::string> interfaces = host.NamedInterfaces();
  for (const v1::RdmaDevice& device : host.facts().rdma_devices()) {
    const bool is_used =
        interfaces.empty() || std::ranges::any_of(interfaces, [&](const std::string& interface) {
          return IsNamed(host, device, interface);
        });
    if (!ShowsNoPort(device) || !is_used) continue;
    v1::Subject subject = host.SubjectOfHost();
    subject.set_device_id(device.id());
    subject.set_label(fmt::format("{} {}", host.host(), device.name()));
    const v1::Reading reading = ReadingOf(true, device);
    v1::Evidence evidence = host.EvidenceAt(RdmaPath(device.id(), "ports"), {}, reading);
    Draft& draft = IsOk(reading)
                       ? judge.Unknown(subject, "the device shows no port").RestsOn(evidence)
                       : judge.Unread(subject, evidence);
    draft.Expected("an RDMA device with its ports")
        .MendedBy("Look in the kernel log for a device that hangs or is being removed.");
  }
}

// What is gone with interfaces that are missing: nothing of the ports that are there. All of the
// host where none is.
std::optional<std::vector<PortKey>> GoneWith(const HostView& host,
                                             const std::vector<std::string>& missing) {
  if (host.ports().empty()) return std::nullopt;
  const auto is_missing = [&](const std::string& name) {
    return std::ranges::find(missing, name) != missing.end();
  };
  std::vector<PortKey> gone;
  for (const v1::RdmaDevice& device : host.facts().rdma_devices()) {
    if (is_missing(device.name())) gone.push_back({host.host(), device.id(), 0});
  }
  for (const v1::NetDevice& net_device : host.facts().net_devices()) {
    const std::string_view address = PciAddressOf(net_device.id());
    if (is_missing(net_device.name()) && !address.empty()) {
      gone.push_back({host.host(), PciId(address), 0});
    }
  }
  return gone;
}

void JudgeNamedInterfaces(const HostView& host, Judge& judge) {
  std::vector<std::string> missing;
  for (const std::string& name : host.NamedInterfaces()) {
    const bool was_not_read =
        std::ranges::any_of(host.facts().rdma_devices(), [&](const v1::RdmaDevice& device) {
          return ShowsNoPort(device) && IsNamed(host, device, name);
        });
    if (!host.HasInterface(name) && !was_not_read) missing.push_back(name);
  }
  if (missing.empty()) return;
  v1::Subject subject = host.SubjectOfHost();
  subject.set_group("job.interfaces");
  Draft& draft = judge.Fail(subject);
  draft.explains = GoneWith(host, missing);
  draft
      .Expected("the RoCE interfaces of the job: " + JoinWords(host.NamedInterfaces()),
                "job.interfaces")
      .Actual("missing: " + JoinWords(missing))
      .RestsOn(
          host.EvidenceAt("rdma_devices", JoinWords(host.DeviceNames()), host.facts().rdma_scan()))
      .MendedBy("Look in the kernel log for a NIC that died or was renamed.");
}

void JudgeHostPorts(const HostView& host, Judge& judge) {
  const v1::Reading scan = ScanReading(host.facts().has_rdma_scan(), host.facts().rdma_scan());
  // That no RDMA stack is loaded is an answer, where the host was read at all.
  const bool no_stack = scan.outcome() == v1::OUTCOME_ABSENT &&
                        IsOk(ScanReading(host.facts().has_pci_scan(), host.facts().pci_scan()));
  if (!IsOk(scan) && !no_stack && host.facts().rdma_devices().empty()) {
    judge.Unread(host.SubjectOfHost(), host.EvidenceAt("rdma_scan", {}, scan));
    return;
  }
  JudgeDevicesWithoutPorts(host, judge);
  JudgeNamedInterfaces(host, judge);
  if (host.ports().empty()) {
    // Said above: what has shown no port may be what is missing.
    if (std::ranges::any_of(host.facts().rdma_devices(), ShowsNoPort)) return;
    if (!host.NamedInterfaces().empty()) return;  // Said above.
    Draft& draft =
        judge.Fail(host.SubjectOfHost())
            .Expected("at least one RoCE port")
            .Actual(Instead(host))
            .RestsOn(host.EvidenceAt("rdma_devices", JoinWords(host.DeviceNames()), scan));
    MendMissingDevice(host, draft);
    return;
  }
  std::set<const v1::RdmaDevice*> judged;
  for (const PortView& port : host.ports()) {
    if (judged.insert(port.device).second) JudgeVerbsNode(host, *port.device, judge);
  }
}

}  // namespace

Check DeviceRdmaPresent() {
  return {
      .id = "device.rdma-present",
      .title = "RoCE devices are present and usable",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_BLOCK,
      .why =
          "Without an RDMA device a job fails at start, or falls back to TCP without a word and "
          "runs ten times slower.",
      .how =
          "The host must show at least one RDMA device whose ports speak RoCE, every interface "
          "that the policy names for the job, and a verbs node (/dev/infiniband/uverbsN) for "
          "each device. A node that the agent may not open is UNKNOWN: a job may not be able to "
          "open it either; so is a device that was not read or shows no port.",
      .fix =
          "Load the RDMA half of the driver (mlx5_ib, bnxt_re, irdma ...) and ib_uverbs, and "
          "look in the kernel log for a NIC that died.",
      .sources = {"RDMA netlink GET (include/uapi/rdma/rdma_netlink.h)", "/dev/infiniband"},
      .explained_by = {"device.roce-enabled"},
      .takes_readings_away = true,
      .host = JudgeHostPorts,
  };
}

}  // namespace roceready::checks
