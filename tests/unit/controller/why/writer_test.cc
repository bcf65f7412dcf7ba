// SPDX-License-Identifier: Apache-2.0
#include "controller/why/writer.h"

#include <gtest/gtest.h>

namespace roceready::why {
namespace {

TEST(Writer, OfNcclWhateverLaunchersAndClocksPutBeforeIt) {
  for (const char* before :
       {"", "[2026-03-03 12:11:38] ", "[2026-03-03 12:11:38.123456] ",
        "3: ", "  3: ", "127: [2026-03-03 12:11:38] ", "[rank3]:", "[rank3]: ", "[login1:0]: ",
        "[1,3]<stderr>:", "[1,3]<stderr>: ", "[prterun-login1-7@1,3]<stderr>: ", "login1: ",
        "(RayWorkerWrapper pid=142935) ", "12:11:38 [0] ", "2026-03-03T12:11:38.123Z ",
        "Mar  3 12:11:38 login1 slurmstepd[4711]: ", "[2026-03-03T12:11:38] ",
        "[trainer.py:123:run] "}) {
    EXPECT_EQ(HostOf(std::string(before) +
                     "gpu017:185303:186751 [1] transport/net_ib.cc:2453 NCCL WARN NET/IB"),
              "gpu017")
        << before;
  }
}

TEST(Writer, OfNcclInAContainer) {
  EXPECT_EQ(HostOf("07d92dd514d4:142935:143254 [0] NCCL WARN"), "07d92dd514d4");
  EXPECT_EQ(HostOf("node-0:5914:6002 [0] NCCL WARN"), "node-0");
}

TEST(Writer, OfUcx) {
  for (const char* line :
       {"[gpu017:2711 :0:2711] ib_mlx5_log.c:177  Transport retry count exceeded",
        "[gpu017:2711:0:2711] ib_mlx5_log.c:171",
        "[1772539898.123456] [gpu017:2711:0]     ib_mlx5_log.c:177  UCX  ERROR",
        "[1772539898.123456] [gpu017:2711:a] ib_device.c",
        "3: [1772539898.123456] [gpu017:2711:0]  ib_mlx5_log.c:177  UCX  ERROR",
        "[1,3]<stderr>:[gpu017:2711 :0:2711] ib_mlx5_log.c",
        "[2026-03-03T12:11:38] [gpu017:2711 :0:2711] ib_mlx5_log.c:177"}) {
    EXPECT_EQ(HostOf(line), "gpu017") << line;
    EXPECT_EQ(UcxProcessOf(line), "gpu017:2711") << line;
  }
  EXPECT_EQ(UcxProcessOf("RC QP 0x1a2 wqe[3]: SEND s-e"), std::nullopt);
  EXPECT_EQ(UcxProcessOf("gpu017:2711:2795 [3] NCCL WARN"), std::nullopt);
}

TEST(Writer, OfSyslogAndTheJournal) {
  for (const char* line :
       {"Mar  3 12:11:38 gpu017 kernel: mlx5_core 0000:3b:00.0 ens1f0np0: Link down",
        "Mar 03 12:11:38 GPU017 kernel: [ 4711.123456] mlx5_core 0000:3b:00.0 ens1f0np0: Link down",
        "Mar 03 12:11:38.123456 gpu017 kernel: mlx5_core",
        "2026-03-03T12:11:38.123456+00:00 gpu017 kernel: mlx5_core",
        "2026-03-03T12:11:38+0000 gpu017 kernel: mlx5_core",
        "2026-03-03T12:11:38Z gpu017 kernel: mlx5_core",
        "Tue 2026-03-03 12:11:38 UTC gpu017 kernel: mlx5_core",
        "1772539898.123456 gpu017 kernel: mlx5_core", "[ 4711.123456] gpu017 kernel: mlx5_core",
        "<6>1 2026-03-03T12:11:38.123456+00:00 gpu017 kernel - - - mlx5_core",
        "loghost: Mar  3 12:11:38 gpu017 kernel: mlx5_core",
        "Mar  3 12:11:38 gpu017 ib_write_bw[4711]: Failed status 12: wr_id 0"}) {
    EXPECT_EQ(HostOf(line), "gpu017") << line;
  }
  EXPECT_EQ(HostOf("Mar  3 12:11:38 gpu017.lab.example kernel: mlx5_core"), "gpu017.lab.example");
}

TEST(Writer, OfLaunchersThatNameTheHost) {
  EXPECT_EQ(HostOf("[gpu017:0]: Failed status 12: wr_id 0"), "gpu017");
  EXPECT_EQ(HostOf("[gpu017:28255] cma event RDMA_CM_EVENT_REJECTED"), "gpu017");
}

TEST(Writer, IsNotGuessed) {
  for (const char* line : {"", "Failed status 12: wr_id 0",
                           "[ 4711.123456] mlx5_core 0000:3b:00.0 ens1f0np0: Link down",
                           "[Tue Mar  3 12:11:38 2026] mlx5_core 0000:3b:00.0 ens1f0np0: Link down",
                           "2026-03-03 12:11:38 ERROR trainer: NCCL error",
                           "2026-03-03T12:11:38.123Z ERROR trainer: NCCL error",
                           "[2026-03-03T12:11:38.123] error: node down",
                           "[2026-03-03T12:11:38] done", "12:11:38 [ERROR] NCCL", "[12:11:38] NCCL",
                           "[trainer.py:123] NCCL", "[rank3]:[W303 12:11:38.123 x.cpp:1]"}) {
    EXPECT_EQ(HostOf(line), "") << line;
  }
}

TEST(Writer, LinesOfATaskHaveOneBeginning) {
  EXPECT_EQ(TaskOf("3:  "), TaskOf("3: "));
  EXPECT_EQ(TaskOf("[1,3]<stdout>: "), TaskOf("[1,3]<stderr>:"));
  EXPECT_EQ(TaskOf("[2026-03-03 12:11:38] 3: "), TaskOf("[2026-03-03 12:12:01] 3:"));
  EXPECT_NE(TaskOf("3: "), TaskOf("13: "));
  EXPECT_EQ(TaskOf(" "), "");
}

}  // namespace
}  // namespace roceready::why
