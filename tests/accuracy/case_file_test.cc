// SPDX-License-Identifier: Apache-2.0
#include "tests/accuracy/case_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "proto/contract/errors.h"
#include "tests/support/temporary_directory.h"

namespace roceready::accuracy {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

constexpr char kCase[] = R"(mode: PFC-01
about: PFC is off
hosts:
  - base: mlx5-vendor
    names: gpu[1-4]
edits:
  - hosts: gpu2
    unread:
      net_devices[ens1np0].mtu: denied
    set:
      net_devices[ens1np0].dcb.pfc.enabled_priorities: []
policy: lossless-dscp
verdict: not-ready
findings:
  - pfc.lossless-priority gpu2
)";

absl::StatusOr<Case> Read(const std::string& text) {
  const TemporaryDirectory directory;
  const std::filesystem::path folder = std::filesystem::path(directory.path()) / "pfc" / "off";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "case.yaml") << text;
  return ReadCase(folder / "case.yaml");
}

TEST(CaseFile, SaysWhereItIsAndWhatItWants) {
  const auto one = Read(kCase);
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->group, "pfc");
  EXPECT_EQ(one->name, "off");
  EXPECT_EQ(one->hosts.at(0).base.text, "mlx5-vendor");
  EXPECT_THAT(one->edits.at(0).changes, ElementsAre(Field(&Change::kind, Change::Kind::kUnread),
                                                    Field(&Change::kind, Change::Kind::kSet)));
  EXPECT_THAT(one->findings, ElementsAre(Field(&Text::text, "pfc.lossless-priority gpu2")));
}

TEST(CaseFile, TellsAllThatIsWrongWithItsPlace) {
  const auto one = Read(std::string(kCase) + "verdicts: ready\nunknown: nothing\n");
  ASSERT_FALSE(one.ok());
  EXPECT_THAT(
      std::string(Message(one.status())),
      HasSubstr("case.yaml:16:1: found the unknown key \"verdicts\" (did you mean verdict?)"));
  EXPECT_THAT(std::string(Message(one.status())), HasSubstr("case.yaml:17:10: expected a list"));
}

TEST(CaseFile, WantsItsVerdict) {
  std::string text = kCase;
  text.erase(text.find("verdict:"), std::string("verdict: not-ready\n").size());
  const auto one = Read(text);
  EXPECT_THAT(std::string(Message(one.status())), HasSubstr("the key verdict is missing"));
}

}  // namespace
}  // namespace roceready::accuracy
