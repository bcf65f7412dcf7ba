// SPDX-License-Identifier: Apache-2.0
// What is wrong with a policy beyond the form of its values.
#include "checks/policy/validate.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace roceready {
namespace {

// 2026-06-01.
constexpr std::chrono::system_clock::time_point kNow{std::chrono::seconds(1'780'272'000)};

PolicyResult Load(std::string_view body) {
  return LoadPolicy("name: x\n" + std::string(body), "p.yaml",
                    {.known_check_ids = {"mtu.netdev", "pfc.lossless-priority"}, .now = kNow});
}

struct Mistake {
  std::string body;
  std::string error;

  friend void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.body; }
};

class PolicyMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(PolicyMistake, IsToldAtItsPlace) {
  const PolicyResult result = Load(GetParam().body);
  EXPECT_EQ(yaml::Render(result.problems), GetParam().error);
  EXPECT_EQ(result.policy, nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    Switches, PolicyMistake,
    ::testing::Values(
        Mistake{"switches: {ignored_ports: [Ethernet4]}\n",
                "p.yaml:2:28: switches.ignored_ports[0]: found \"Ethernet4\", expected "
                "SWITCH:PORT, such as leaf*:Ethernet120"},
        Mistake{"intent: {mtu_bytes: 9000}\nswitches: {mtu_bytes: 4200}\n",
                "p.yaml:3:23: switches.mtu_bytes: found 4200, expected at least the hosts' 9000 "
                "(intent.mtu_bytes)"},
        Mistake{"switches: {ecn_bands: [{up_to_mbps: 100000}]}\n",
                "p.yaml:2:24: switches.ecn_bands[0]: found a band without a bound, expected at "
                "least one"},
        Mistake{"switches: {ecn_bands: [{up_to_mbps: 1000, min_threshold_from_bytes: 9,\n"
                "  min_threshold_to_bytes: 8}]}\n",
                "p.yaml:2:69: switches.ecn_bands[0].min_threshold_from_bytes: found 9, expected no "
                "more than the upper bound 8"},
        Mistake{"switches: {ecn_bands: [{up_to_mbps: 1000, min_threshold_from_bytes: 9,\n"
                "  max_threshold_to_bytes: 8}]}\n",
                "p.yaml:3:27: switches.ecn_bands[0].max_threshold_to_bytes: found 8, expected at "
                "least min_threshold_from_bytes (9): Kmax is never below Kmin"},
        Mistake{"switches:\n  ecn_bands:\n"
                "    - {up_to_mbps: 1000, min_threshold_from_bytes: 9}\n"
                "    - {up_to_mbps: 1000, min_threshold_from_bytes: 9}\n",
                "p.yaml:5:20: switches.ecn_bands[1].up_to_mbps: found 1000 again, expected each "
                "speed once"}));

INSTANTIATE_TEST_SUITE_P(
    Intent, PolicyMistake,
    ::testing::Values(
        Mistake{"intent: {lossless_priorities: [4], roce_priority: 3}\n",
                "p.yaml:2:51: intent.roce_priority: found RoCE on priority 3 and lossless "
                "priorities 4, expected RoCE's priority to be lossless"},
        Mistake{"intent: {lossless_priorities: []}\n",
                "p.yaml:2:31: intent.lossless_priorities: found an empty list, expected at least "
                "one element (to judge nothing, leave the key out or disable the check)"},
        Mistake{"intent: {lossless_priorities: [3, 3]}\n",
                "p.yaml:2:35: intent.lossless_priorities[1]: found 3 again, expected each once"},
        Mistake{"intent: {vlan_ids: [10, 20, 10]}\n",
                "p.yaml:2:29: intent.vlan_ids[2]: found 10 again, expected each once"},
        Mistake{"intent: {rdma_mtu_bytes: 4000}\n",
                "p.yaml:2:26: intent.rdma_mtu_bytes: found 4000, expected 256, 512, 1024, 2048 or "
                "4096"},
        Mistake{
            "intent: {rdma_mtu_bytes: 4096, mtu_bytes: 4191}\n",
            "p.yaml:2:43: intent.mtu_bytes: found netdev MTU 4191 and RDMA MTU 4096, expected a "
            "netdev MTU of at least 4192"},
        Mistake{"intent: {roce_dscp: 26, cnp_dscp: 26, roce_priority: 3, cnp_priority: 6}\n",
                "p.yaml:2:35: intent.cnp_dscp: found DSCP 26 on priorities 3 and 6, expected one "
                "priority for a DSCP"},
        Mistake{"intent: {roce_version: v1, roce_dscp: 26}\n",
                "p.yaml:2:39: intent.roce_dscp: found roce_dscp with RoCE v1, expected RoCE v2: v1 "
                "has no IP header"},
        Mistake{"intent: {roce_version: v1, ip_family: ipv4}\n",
                "p.yaml:2:39: intent.ip_family: found ip_family with RoCE v1, expected RoCE v2: v1 "
                "has no IP header"},
        Mistake{
            "intent: {congestion_control: none, congestion_parameters: [{name: a, value: 1}]}\n",
            "p.yaml:2:59: intent.congestion_parameters: found DCQCN's parameters with "
            "congestion_control none, expected dcqcn"},
        Mistake{
            "intent: {congestion_parameters: [{name: a, value: 1}, {name: a, value: 2}]}\n",
            "p.yaml:2:62: intent.congestion_parameters[1].name: found \"a\" again, expected each "
            "name once"},
        Mistake{"intent: {congestion_parameters: [{name: a}]}\n",
                "p.yaml:2:34: intent.congestion_parameters[0].value: found nothing, expected a "
                "number in the kernel's unit"}));

INSTANTIATE_TEST_SUITE_P(
    Overrides, PolicyMistake,
    ::testing::Values(
        Mistake{
            "overrides:\n  - {hosts: \"gpu[1-\", intent: {mtu_bytes: 9000}}\n",
            "p.yaml:3:13: overrides[0].hosts: found \"gpu[1-\", expected a host list: host list, "
            "column 4: this '[' is never closed, expected a ']'"},
        Mistake{"overrides:\n  - {hosts: gpu1}\n",
                "p.yaml:3:5: overrides[0]: found an override without effect, expected values in "
                "intent or checks"},
        Mistake{
            "intent: {lossless_priorities: [3], roce_priority: 3}\noverrides:\n  - hosts: gpu1\n"
            "    intent:\n      lossless_priorities: [4]\n",
            "p.yaml:6:28: overrides[0].intent.lossless_priorities: found RoCE on priority 3 and "
            "lossless priorities 4, expected RoCE's priority to be lossless"},
        Mistake{"intent: {rdma_mtu_bytes: 4096, mtu_bytes: 9000}\noverrides:\n  - hosts: gpu1\n"
                "    intent:\n      mtu_bytes: 1500\n",
                "p.yaml:6:18: overrides[0].intent.mtu_bytes: found netdev MTU 1500 and RDMA MTU "
                "4096, expected a netdev MTU of at least 4192"},
        Mistake{
            "overrides:\n  - hosts: gpu1\n    checks: [{check_id: mtu.netdv, enabled: false}]\n",
            "p.yaml:4:25: overrides[0].checks[0].check_id: found \"mtu.netdv\", expected the id "
            "of a check (did you mean mtu.netdev?)"}));

INSTANTIATE_TEST_SUITE_P(
    ChecksAndWaivers, PolicyMistake,
    ::testing::Values(
        Mistake{"checks:\n  - {check_id: mtu, severity: advice}\n",
                "p.yaml:3:16: checks[0].check_id: found \"mtu\", expected the id of a check"},
        Mistake{"checks:\n  - {check_id: mtu.netdev, severity: advice}\n"
                "  - {check_id: mtu.netdev, enabled: false}\n",
                "p.yaml:4:16: checks[1].check_id: found \"mtu.netdev\" again, expected it once "
                "(first on line 3)"},
        Mistake{"checks:\n  - check_id: mtu.netdev\n",
                "p.yaml:3:5: checks[0]: found a setting without effect, expected severity, "
                "on_unknown or enabled"},
        Mistake{
            "waivers:\n  - {id: a, check_id: nope, hosts: gpu1, reason: r, until: 2030-01-01}\n",
            "p.yaml:3:23: waivers[0].check_id: found \"nope\", expected the id of a check"},
        Mistake{
            "waivers:\n"
            "  - {id: a, check_id: mtu.netdev, hosts: gpu1, reason: r, until: 2030-01-01}\n"
            "  - {id: a, check_id: mtu.netdev, hosts: gpu2, reason: r, until: 2030-01-01}\n",
            "p.yaml:4:10: waivers[1].id: found \"a\" again, expected each id once (first on line "
            "3)"},
        Mistake{
            "waivers:\n"
            "  - {id: a, check_id: mtu.netdev, hosts: \"a,,b\", reason: r, until: 2030-01-01}\n",
            "p.yaml:3:42: waivers[0].hosts: found \"a,,b\", expected a host list: host list, "
            "column 3: ',' found, expected a host name"}));

INSTANTIATE_TEST_SUITE_P(
    HardwareJobAndProbes, PolicyMistake,
    ::testing::Values(
        Mistake{"hardware:\n  - {driver: mlx5_core}\n",
                "p.yaml:3:5: hardware[0]: found a rule without effect, expected min_firmware, "
                "bad_firmware or min_driver"},
        Mistake{"hardware:\n  - min_firmware: 28.1\n",
                "p.yaml:3:5: hardware[0]: found a rule for every device there is, expected driver, "
                "device_ids or psid: versions of two families cannot be compared"},
        Mistake{"hardware:\n  - {device_ids: [\"15B3:101d\", \"15b3:1021\"], min_firmware: 28.1}\n",
                "p.yaml:3:19: hardware[0].device_ids[0]: found \"15B3:101d\", expected PCI "
                "vendor:device in lower-case hexadecimal, such as 15b3:101d"},
        Mistake{"hardware:\n  - {driver: mlx5_core, min_firmware: latest}\n",
                "p.yaml:3:39: hardware[0].min_firmware: found \"latest\", expected a version that "
                "begins with a number, such as 28.39.1002"},
        Mistake{"hardware:\n  - {driver: mlx5_core, min_firmware: 28.1, bad_firmware: [28.1.0]}\n",
                "p.yaml:3:39: hardware[0].min_firmware: found the known bad version 28.1 as the "
                "minimum, expected another one"},
        Mistake{"intent: {roce_dscp: 26}\njob: {traffic_class: 26}\n",
                "p.yaml:3:22: job.traffic_class: found traffic class 26 (DSCP 6), expected DSCP 26 "
                "as in intent.roce_dscp: traffic class 106 with ECT(0)"},
        Mistake{
            "intent: {roce_version: v2}\njob: {gid_type: roce-v1}\n",
            "p.yaml:3:17: job.gid_type: found another type than RoCE v2 of intent.roce_version, "
            "expected roce-v2"},
        Mistake{"intent: {ip_family: ipv4}\njob: {gid_family: v6}\n",
                "p.yaml:3:19: job.gid_family: found another family than intent.ip_family, expected "
                "one of ipv4"},
        Mistake{"intent: {service_level: 3}\njob: {service_level: 4}\n",
                "p.yaml:3:22: job.service_level: found 4, expected 3 as in intent.service_level"},
        Mistake{"probes: {phase_deadline: 40s, session_deadline: 30s}\n",
                "p.yaml:2:26: probes.phase_deadline: found 40 s, expected no more than the "
                "session's 30 s"},
        Mistake{"inventory: [{hosts: \"a[\"}]\n",
                "p.yaml:2:21: inventory[0].hosts: found \"a[\", expected a host list: host list, "
                "column 2: this '[' is never closed, expected a ']'"},
        Mistake{
            "inventory: [{hosts: a, rails: [10.1.0.0/24, 10.1.1.0]}]\n",
            "p.yaml:2:45: inventory[0].rails[1]: found \"10.1.1.0\", expected a subnet, such as "
            "10.77.0.0/24 or fd00:77::/64"},
        Mistake{"inventory:\n  - hosts: a\n    rails: [10.1.0.7/24]\n",
                "p.yaml:4:13: inventory[0].rails[0]: found \"10.1.0.7/24\", an address in "
                "10.1.0.0/24, expected the subnet itself"}));

TEST(ValidatePolicy, WantsANameThatFitsFilesAndUrls) {
  for (const char* name : {"a/b", "Upper", "-x", ".hidden", "with space"}) {
    EXPECT_FALSE(LoadPolicy("name: \"" + std::string(name) + "\"\n", "p.yaml", {}).ok()) << name;
  }
  EXPECT_TRUE(LoadPolicy("name: rail-0.v2_x\n", "p.yaml", {}).ok());
}

TEST(ValidatePolicy, ChecksNoIdsWhereNoneAreKnown) {
  EXPECT_TRUE(LoadPolicy("name: x\nchecks: [{check_id: any, enabled: false}]\n", "p", {}).ok());
}

TEST(ValidatePolicy, TellsContradictionsTogetherWithMistakesOfForm) {
  const PolicyResult result = Load(
      "intent: {lossless_priorities: [4], roce_priority: 3, roce_dscp: 99}\n"
      "overrides: [{hosts: \"gpu[\", intent: {mtu_bytes: big}}]\n");

  EXPECT_EQ(
      yaml::Render(result.problems),
      "p.yaml:2:51: intent.roce_priority: found RoCE on priority 3 and lossless priorities "
      "4, expected RoCE's priority to be lossless\n"
      "p.yaml:2:65: intent.roce_dscp: found 99, expected a number from 0 to 63\n"
      "p.yaml:3:21: overrides[0].hosts: found \"gpu[\", expected a host list: host list, "
      "column 4: this '[' is never closed, expected a ']'\n"
      "p.yaml:3:49: overrides[0].intent.mtu_bytes: found \"big\", expected a number from 1280 "
      "to 16384");
}

TEST(ValidatePolicy, TellsAMistakeOfFormOnlyOnce) {
  EXPECT_EQ(yaml::Render(Load("intent: {lossless_priorities: [9]}\n").problems),
            "p.yaml:2:32: intent.lossless_priorities[0]: found 9, expected a number from 0 to 7");
  EXPECT_EQ(yaml::Render(Load("intent: {lossless_priorities: 3}\n").problems),
            "p.yaml:2:31: intent.lossless_priorities: found 3, expected a list, each a number from "
            "0 to 7");
  EXPECT_EQ(yaml::Render(Load("checks: [{check_id: mtu.netdev, severty: advice}]\n").problems),
            "p.yaml:2:33: checks[0]: found the unknown key \"severty\" (did you mean severity?)");
  EXPECT_EQ(yaml::Render(Load("hardware: [{driver: a, min_firmware: [1]}]\n").problems),
            "p.yaml:2:38: hardware[0].min_firmware: found a list, expected text");
}

TEST(ValidatePolicy, TakesAJobsTrafficClassWithAnyEcnBits) {
  for (const char* traffic_class : {"104", "105", "106", "107", "0x6a"}) {
    EXPECT_TRUE(
        Load(fmt::format("intent: {{roce_dscp: 26}}\njob: {{traffic_class: {}}}\n", traffic_class))
            .ok())
        << traffic_class;
  }
}

std::string NotesOf(std::string_view body) {
  const PolicyResult result = Load(body);
  EXPECT_EQ(yaml::Render(result.problems), "");
  return yaml::Render(result.notes);
}

TEST(ValidatePolicy, NotesAWaiverThatHasEnded) {
  EXPECT_EQ(
      NotesOf("waivers:\n"
              "  - {id: OPS-1, check_id: mtu.netdev, hosts: gpu1, reason: r, until: 2026-06-01}\n"
              "  - {id: OPS-2, check_id: mtu.netdev, hosts: gpu1, reason: r, until: 2026-06-02}\n"),
      "p.yaml:3:70: waivers[0].until: waiver OPS-1 ended on 2026-06-01: what it waived counts "
      "again");
}

TEST(ValidatePolicy, NotesWhatIsOddButPossible) {
  EXPECT_EQ(
      NotesOf("intent: {lossless_priorities: [3, 6], roce_priority: 3, cnp_priority: 6}\n"),
      "p.yaml:2:71: intent.cnp_priority: priority 6 is lossless: congestion notifications can "
      "then be paused by the congestion they tell about");
  EXPECT_EQ(NotesOf("intent: {trust: pcp}\n"),
            "p.yaml:2:17: intent.trust: pcp without roce_pcp: no VLAN priority is judged");
  EXPECT_EQ(NotesOf("inventory: [{hosts: gpu1}]\n"),
            "p.yaml:2:13: inventory[0]: no rails: nothing is asked of these hosts");
  EXPECT_EQ(NotesOf("probes: {ack_timeout_exponent: 17, retry_count: 6, phase_deadline: 2s}\n"),
            "p.yaml:2:68: probes.phase_deadline: a lost connection is given up after 3.8 s, later "
            "than this: it will be reported as a deadline, not as retries exceeded");
}

}  // namespace
}  // namespace roceready
