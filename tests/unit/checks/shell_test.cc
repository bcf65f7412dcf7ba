// SPDX-License-Identifier: Apache-2.0
#include "checks/shell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

TEST(ShellWord, LeavesPlainNamesAlone) {
  for (const std::string_view name :
       {"ens7f0", "eth0.100", "0000:3b:00.0", "/dev/infiniband/uverbs0", "10.77.0.0/24",
        "a_b-c+d@e%f=g,h"}) {
    EXPECT_EQ(ShellWord(name), name);
  }
}

TEST(ShellWord, QuotesAllThatAShellWouldTakeApart) {
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("a;reboot"), "'a;reboot'");
  EXPECT_EQ(ShellWord("$(id)"), "'$(id)'");
  EXPECT_EQ(ShellWord("MAP|ROCE"), "'MAP|ROCE'");
  EXPECT_EQ(ShellWord("~root"), "'~root'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord("'"), "''\\'''");
}

TEST(ShellCommand, QuotesTextAndLeavesNumbers) {
  EXPECT_EQ(ShellCommand("ip link set dev {} mtu {}", "e;h", 9000),
            "ip link set dev 'e;h' mtu 9000");
  EXPECT_EQ(ShellCommand("ip link add link {0} name {0}.{1}", std::string("a b"), 5u),
            "ip link add link 'a b' name 'a b'.5");
}

TEST(HoldsPlaceholder, SeesOnlyWhatIsNotQuoted) {
  EXPECT_TRUE(HoldsPlaceholder("ip addr add <ADDRESS>/<PREFIX> dev eth0"));
  EXPECT_TRUE(HoldsPlaceholder("dcb ets set dev 'a<B>' tc-bw 3:<PERCENT>"));
  EXPECT_FALSE(HoldsPlaceholder("ip link set dev '<NAME>' up"));
  EXPECT_FALSE(HoldsPlaceholder("ip link set dev 'it'\\''<NAME>' up"));
  EXPECT_FALSE(HoldsPlaceholder("cat < file"));
  EXPECT_FALSE(HoldsPlaceholder(""));
}

// What of a command a shell would look at: the text outside of single quotes.
std::string Unquoted(std::string_view command) {
  std::string text;
  bool quoted = false;
  for (size_t i = 0; i < command.size(); ++i) {
    if (command[i] == '\'') {
      quoted = !quoted;
    } else if (!quoted && command[i] == '\\') {
      ++i;
    } else if (!quoted) {
      text += command[i];
    }
  }
  EXPECT_FALSE(quoted) << command;
  return text;
}

TEST(EachCommand, KeepsNamesOfDevicesFromTheShell) {
  size_t commands = 0;
  for (const Case& one : Cases()) {
    FullFleet fleet = one.Fleet();
    one.breaks(fleet);
    for (builders::HostBuilder& host : fleet.audit.hosts) {
      for (v1::NetDevice& device : *host.facts().mutable_net_devices()) {
        device.set_name(device.name() + "'`id`\"");
      }
    }
    const v1::AuditReport report = fleet.audit.Report();
    for (const v1::Finding& finding : report.findings()) {
      if (finding.fix().command().empty()) continue;
      ++commands;
      EXPECT_THAT(Unquoted(finding.fix().command()),
                  testing::Not(testing::AnyOf(testing::HasSubstr("`"), testing::HasSubstr("\""))))
          << one.check_id << ": " << finding.fix().command();
    }
  }
  EXPECT_GT(commands, 20u);
}

TEST(EachCommand, WritesAValueToBeChosenBetweenAngles) {
  for (const Case& one : Cases()) {
    FullFleet fleet = one.Fleet();
    one.breaks(fleet);
    const v1::AuditReport report = fleet.Report();
    for (const v1::Finding& finding : report.findings()) {
      const std::string text = Unquoted(finding.fix().command());
      for (const std::string_view word : {"ADDRESS", "PREFIX", "BUFFER", "BYTES", "PERCENT",
                                          "CLASS", "METRES", "DEVICE", "PRIORITY"}) {
        const size_t at = text.find(word);
        if (at == std::string::npos) continue;
        EXPECT_TRUE(at > 0 && text[at - 1] == '<') << text;
      }
    }
  }
}

}  // namespace
}  // namespace roceready::checks
