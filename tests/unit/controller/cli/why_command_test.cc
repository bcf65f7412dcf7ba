// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/why_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready::cli {
namespace {

Explained Nccl() {
  Explained one;
  one.trouble.first.kind = why::ErrorKind::kRetriesExceeded;
  one.trouble.first.number = 4;
  one.trouble.lines = 12;
  one.trouble.local = "::ffff:10.77.0.1";
  one.trouble.remote = "::ffff:10.77.0.2";
  return one;
}

TEST(Why, ShowsTheTwoEndsTheCauseAndWhatMendsIt) {
  Explained one = Nccl();
  one.local.set_host("gpu1");
  one.local.set_net_device("eth0");
  one.local.set_rdma_device("mlx5_0");
  one.local.set_port(1);
  one.remote.set_host("gpu2");
  one.remote.set_net_device("eth0");
  v1::Finding& cause = one.causes.emplace_back();
  cause.set_check_id("mtu.netdev");
  cause.mutable_subject()->set_label("eth0 (mlx5_0)");
  cause.set_actual("MTU\n1500");
  cause.mutable_fix()->set_run_on("gpu2");
  cause.mutable_fix()->set_command("ip link set dev eth0 mtu 9000");
  one.rows = {{"MTU", "9000", "1500"}, {"speed", "100000 Mb/s", "100000 Mb/s"}};
  EXPECT_EQ(RenderExplained({one}),
            "gpu1 eth0 (mlx5_0/1) -> gpu2 eth0: retries exceeded, 12 lines, the first is line 4\n"
            "  means   " +
                std::string(why::MeaningOf(why::ErrorKind::kRetriesExceeded).text) +
                "\n"
                "  cause   mtu.netdev eth0 (mlx5_0): MTU 1500\n"
                "  fix     gpu2# ip link set dev eth0 mtu 9000\n"
                "  ! MTU       9000 | 1500\n"
                "    speed     100000 Mb/s | 100000 Mb/s\n");
}

TEST(Why, SaysWhereThereIsNotEnoughToTell) {
  Explained one = Nccl();
  one.unclear = "nobody has ::ffff:10.77.0.1";
  const std::string text = RenderExplained({one, one});
  EXPECT_THAT(text, testing::HasSubstr("::ffff:10.77.0.1 -> ::ffff:10.77.0.2: retries exceeded"));
  EXPECT_THAT(text,
              testing::HasSubstr("cause   not enough to tell: nobody has ::ffff:10.77.0.1\n"));
  EXPECT_THAT(text, testing::HasSubstr("\n\n"));
}

TEST(Why, SaysOfWhichEndACauseIsNotWhereThatEndIsUnclear) {
  Explained one = Nccl();
  one.trouble.remote = "192.168.122.1";
  one.unclear = "192.168.122.1 fits 12 hosts: gpu1, gpu2, gpu3 and others";
  one.causes.emplace_back().set_check_id("mtu.netdev");
  const std::string text = RenderExplained({one});
  EXPECT_THAT(text, testing::HasSubstr("-> 192.168.122.1: retries exceeded"));
  EXPECT_THAT(text, testing::HasSubstr("  cause   mtu.netdev"));
  EXPECT_THAT(text, testing::HasSubstr(
                        "  unclear 192.168.122.1 fits 12 hosts: gpu1, gpu2, gpu3 and others\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("not enough to tell")));
}

}  // namespace
}  // namespace roceready::cli
