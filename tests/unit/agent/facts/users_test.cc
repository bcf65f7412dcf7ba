// SPDX-License-Identifier: Apache-2.0
// Who uses RDMA: processes, parts of the kernel, and what they may use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/facts/job_limits.h"
#include "agent/facts/kernel_users.h"
#include "agent/facts/rdma_use.h"
#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

TEST(RdmaUsers, AreCountedByTheNameOfTheirOwner) {
  FixtureTree tree;
  tree.File("/proc/70/comm", "nccl-test").File("/proc/71/comm", "nccl-test");
  std::vector<netlink::RdmaQueuePair> pairs(4);
  pairs[0].pid = 70;
  pairs[1].pid = 71;
  pairs[1].state = 6;
  pairs[2].kernel_owner = "nvme_rdma";
  pairs[3].pid = 99;
  std::vector<netlink::RdmaCmId> ids(1);
  ids[0].kernel_owner = "nvme_rdma";
  const auto users = RdmaUsersOf(HostRoot(tree.path()), pairs, ids);
  ASSERT_EQ(users.size(), 3u);
  EXPECT_EQ(users[0].name(), "nccl-test");
  EXPECT_EQ(users[0].qps(), 2u);
  EXPECT_EQ(users[0].qps_in_error(), 1u);
  EXPECT_FALSE(users[0].kernel());
  EXPECT_FALSE(users[0].has_cm_ids());
  // Gone since, or of another process namespace: its number is all there is.
  EXPECT_EQ(users[1].name(), "process-99");
  EXPECT_EQ(users[2].name(), "nvme_rdma");
  EXPECT_TRUE(users[2].kernel());
  EXPECT_EQ(users[2].cm_ids(), 1u);
}

TEST(KernelUsers, TellNvmeControllersOverRdmaAndNoOthers) {
  FixtureTree tree;
  tree.File("/proc/mounts", "");
  tree.File("/sys/class/nvme/nvme0/transport", "pcie");
  tree.File("/sys/class/nvme/nvme1/transport", "rdma")
      .File("/sys/class/nvme/nvme1/state", "connecting")
      .File("/sys/class/nvme/nvme1/address", "traddr=192.0.2.9,trsvcid=4420");
  const v1::KernelUsers users = ReadKernelUsers(HostRoot(tree.path()));
  ASSERT_EQ(users.users_size(), 1);
  EXPECT_EQ(users.users(0).name(), "nvme1");
  EXPECT_EQ(users.users(0).state(), "connecting");
  EXPECT_EQ(users.users(0).address(), "traddr=192.0.2.9,trsvcid=4420");
  EXPECT_FALSE(users.users(0).has_target());
}

TEST(KernelUsers, TellNfsMountsOverRdma) {
  v1::KernelUsers users;
  AddNfsMounts(
      "10.0.0.1:/a /a nfs4 rw,proto=tcp,addr=10.0.0.1 0 0\n"
      "10.0.0.2:/b /b nfs4 rw,proto=rdma,addr=10.0.0.2 0 0\n"
      "proto=rdma /c ext4 proto=rdma 0 0\n"
      "short nfs\n",
      &users);
  ASSERT_EQ(users.users_size(), 1);
  EXPECT_EQ(users.users(0).kind(), "nfs");
  EXPECT_EQ(users.users(0).name(), "/b");
  EXPECT_EQ(users.users(0).target(), "10.0.0.2:/b");
  EXPECT_EQ(users.users(0).address(), "10.0.0.2");
}

TEST(KernelUsers, WithoutMountsTheReadingSaysSo) {
  FixtureTree tree;
  tree.File("/sys/module/rpcrdma/initstate", "live");
  const v1::KernelUsers users = ReadKernelUsers(HostRoot(tree.path()));
  EXPECT_EQ(users.reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(users.users(0).kind(), "rpcrdma");
}

TEST(RdmaCgroup, TheTightestLimitOnTheWayUpCounts) {
  FixtureTree tree;
  tree.File("/proc/7/comm", "slurmd").File("/proc/7/limits", "");
  tree.File("/proc/7/cgroup", "1:name=x:/other\n0::/system.slice/slurmd.service");
  const std::string slice = "/sys/fs/cgroup/system.slice";
  tree.File(slice + "/rdma.max", "mlx5_0 hca_handle=4 hca_object=max");
  tree.File(slice + "/slurmd.service/rdma.max",
            "mlx5_0 hca_handle=9 hca_object=500\nmlx5_1 hca_handle=max hca_object=max");
  const v1::RdmaCgroup cgroup = ReadJobLimits(HostRoot(tree.path())).rdma_cgroup();
  EXPECT_EQ(cgroup.reading().outcome(), v1::OUTCOME_OK);
  ASSERT_EQ(cgroup.limits_size(), 1);
  EXPECT_EQ(cgroup.limits(0).name(), "mlx5_0");
  EXPECT_EQ(cgroup.limits(0).handles(), 4u);
  EXPECT_EQ(cgroup.limits(0).objects(), 500u);
}

TEST(RdmaCgroup, NoControllerIsAbsentWithItsReason) {
  FixtureTree tree;
  tree.File("/proc/7/comm", "slurmd").File("/proc/7/cgroup", "0::/system.slice/slurmd.service");
  const v1::RdmaCgroup cgroup = ReadJobLimits(HostRoot(tree.path())).rdma_cgroup();
  EXPECT_EQ(cgroup.reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_FALSE(cgroup.reading().detail().empty());
}

TEST(RdmaCgroup, APathThatStartsAtNoRootIsNone) {
  FixtureTree tree;
  tree.File("/proc/7/comm", "slurmd").File("/proc/7/cgroup", "0::slurmd.service");
  const v1::RdmaCgroup cgroup = ReadJobLimits(HostRoot(tree.path())).rdma_cgroup();
  EXPECT_EQ(cgroup.reading().outcome(), v1::OUTCOME_UNSUPPORTED);
}

TEST(RdmaCgroup, ALineOfAnotherShapeIsRefused) {
  v1::RdmaCgroup cgroup;
  EXPECT_TRUE(absl::IsDataLoss(MergeRdmaLimits("mlx5_0 hca_handle", &cgroup)));
  EXPECT_TRUE(absl::IsDataLoss(MergeRdmaLimits("mlx5_0 hca_handle=-1", &cgroup)));
  EXPECT_TRUE(absl::IsDataLoss(MergeRdmaLimits("mlx5_0 hca_object=many", &cgroup)));
}

}  // namespace
}  // namespace roceready::facts
