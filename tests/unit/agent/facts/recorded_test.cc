// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/recorded.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

#include "agent/facts/verbs_text.h"
#include "agent/netlink/dcb.h"
#include "tests/support/source_path.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/agent/facts/host_files.h"

namespace roceready::facts {
namespace {

// The guest of tests/hosts: PFC on priority 3, DSCP 26 and 48, bonds and a VLAN.
TEST(Recorded, AGuestsNetlinkAnswersGiveItsFacts) {
  const auto sources = RecordedSources(SourcePath("tests/hosts/guest-6.1"));
  const auto route = sources->OpenNetlink(netlink::Protocol::kRoute);
  ASSERT_TRUE(route.ok()) << route.status().ToString();
  const auto dcb = netlink::ReadDcb(**route, "eth0");
  ASSERT_TRUE(dcb.ok()) << dcb.status().ToString();
  EXPECT_EQ(dcb->pfc->enabled_priorities, 1u << 3);
}

TEST(Recorded, AFileThatWasRefusedIsRefusedAgain) {
  TemporaryDirectory directory;
  std::ofstream(directory.File("errors.txt")) << "13 /sys/kernel/debug/a b\nnonsense\n5\n";
  const auto sources = RecordedSources(directory.path());
  EXPECT_EQ(ErrnoOf(sources->root().Read("/sys/kernel/debug/a b").status()), EACCES);
  EXPECT_EQ(ErrnoOf(sources->root().List("/sys/kernel/debug/a b").status()), EACCES);
  EXPECT_EQ(ErrnoOf(sources->root().Read("/sys/kernel/debug/c").status()), ENOENT);
}

// Whatever machine this runs on: the recording tells what the machine told.
TEST(Recorded, ARecordingOfThisMachineReplaysItsFacts) {
  TemporaryDirectory directory;
  const auto recording = RecordingSources(LiveSources(), directory.path());
  ASSERT_TRUE(recording.ok()) << recording.status().ToString();
  Collection live = CollectFrom(*recording);
  Collection replayed = CollectFrom(RecordedSources(directory.path()));
  // Left out of recordings on purpose: the machine id, processes.
  live.facts.mutable_identity()->set_machine_id(replayed.facts.identity().machine_id());
  *live.facts.mutable_kernel()->mutable_job_limits() = replayed.facts.kernel().job_limits();
  // Where there is no RDMA stack the outcome is kept, not the words.
  EXPECT_EQ(live.facts.rdma_use().reading().error(), replayed.facts.rdma_use().reading().error());
  live.facts.clear_rdma_use();
  replayed.facts.clear_rdma_use();
  EXPECT_EQ(live.facts.DebugString(), replayed.facts.DebugString());
}

TEST(Recorded, ANewRecordingNeedsAFolderOfItsOwn) {
  TemporaryDirectory directory;
  ASSERT_TRUE(RecordingSources(LiveSources(), directory.path() + "/new").ok());
  EXPECT_TRUE(
      absl::IsFailedPrecondition(RecordingSources(LiveSources(), directory.path()).status()));
}

TEST(Recorded, WhatWasNotRecordedIsAbsent) {
  TemporaryDirectory directory;
  const Collection collection = CollectFrom(RecordedSources(directory.path()));
  EXPECT_EQ(collection.facts.net_scan().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(collection.facts.ip_stack().reading().outcome(), v1::OUTCOME_ABSENT);
}

TEST(VerbsAsText, ReadsBackWhatItWrote) {
  VerbsDevice device;
  device.vendor = 0x2c9;
  device.max_qp = 131072;
  VerbsGid gid;
  gid.port = 1;
  gid.index = 3;
  gid.gid[15] = 7;
  gid.type = 2;
  gid.net_device_index = 4;
  device.gids = std::vector<VerbsGid>{gid};
  VerbsPort port;
  port.number = 1;
  port.active_mtu_bytes = 4096;
  port.gid_table_length = 255;
  port.link_layer = 2;
  const std::vector<VerbsPort> ports = {port};
  const std::string text = DeviceText("mlx5_0", device) + PortsText("mlx5_0", ports) +
                           DeviceText("mlx5_1", ErrnoError(EACCES, "open"));
  const auto answers = ParseVerbsText(text);
  ASSERT_TRUE(answers.ok()) << answers.status().ToString();
  EXPECT_EQ(DeviceText("mlx5_0", answers->devices.at("mlx5_0")), DeviceText("mlx5_0", device));
  EXPECT_EQ(PortsText("mlx5_0", answers->ports.at("mlx5_0")), PortsText("mlx5_0", ports));
  EXPECT_EQ(ErrnoOf(answers->devices.at("mlx5_1").status()), EACCES);
}

TEST(VerbsAsText, NamesTheLineThatIsWrong) {
  const auto answers = ParseVerbsText("ports a\n\nport 1 2 3\n");
  ASSERT_FALSE(answers.ok());
  EXPECT_NE(Message(answers.status()).find("line 3"), std::string_view::npos);
  EXPECT_FALSE(ParseVerbsText("port 1 1 1 1 1 1\n").ok());
  EXPECT_FALSE(ParseVerbsText("device a 1 2 3 -4\n").ok());
  EXPECT_FALSE(ParseVerbsText("device a 1 2 3 4\ngid 1 0 abcd 2 0\n").ok());
  EXPECT_FALSE(ParseVerbsText("device a 1 2 3 4\nport 1 1 1 1 1 1\n").ok());
}

}  // namespace
}  // namespace roceready::facts
