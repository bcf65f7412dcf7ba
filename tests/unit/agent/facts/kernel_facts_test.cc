// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "agent/facts/ip_stack.h"
#include "agent/facts/job_limits.h"
#include "agent/facts/kernel.h"
#include "agent/facts/rdma_stack.h"
#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

TEST(Identity, NeverShowsTheRawMachineId) {
  FixtureTree tree;
  tree.File("/etc/machine-id", "0123456789abcdef0123456789abcdef");
  const v1::HostIdentity identity = ReadIdentity(HostRoot(tree.path()), "gpu017");
  EXPECT_EQ(identity.host(), "gpu017");
  EXPECT_EQ(identity.machine_id().size(), 32u);
  EXPECT_NE(identity.machine_id(), "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(identity.machine_id()[12], '4');
}

TEST(Identity, AHostWithoutAMachineIdHasNone) {
  FixtureTree tree;
  tree.File("/etc/machine-id", "uninitialized");
  EXPECT_EQ(ReadIdentity(HostRoot(tree.path()), "a").machine_id(), "");
}

TEST(Kernel, NamesReleaseDistributionAndDriverModules) {
  FixtureTree tree;
  tree.File("/proc/sys/kernel/osrelease", "6.1.0-57-amd64");
  tree.File("/etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"");
  tree.File("/sys/module/mlx5_core/initstate", "live")
      .File("/sys/module/mlx5_core/version", "24.10");
  const v1::KernelFacts kernel = ReadKernel(HostRoot(tree.path()));
  EXPECT_EQ(kernel.release(), "6.1.0-57-amd64");
  EXPECT_EQ(kernel.distribution(), "Debian GNU/Linux 12 (bookworm)");
  ASSERT_EQ(kernel.modules_size(), 1);
  EXPECT_EQ(kernel.modules(0).version(), "24.10");
}

TEST(JobLimits, AreThoseOfTheJobStarterAndNotOurs) {
  FixtureTree tree;
  tree.File("/proc/812/comm", "containerd").File("/proc/900/comm", "slurmd");
  tree.File("/proc/900/limits",
            "Limit                     Soft Limit           Hard Limit           Units     \n"
            "Max open files            1024                 524288               files     \n"
            "Max locked memory         8388608              unlimited            bytes     ");
  const v1::JobLimits limits = ReadJobLimits(HostRoot(tree.path()));
  EXPECT_EQ(limits.reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(limits.reading().locator(), "limits of slurmd");
  EXPECT_EQ(limits.memlock_soft_bytes(), 8388608u);
  EXPECT_FALSE(limits.has_memlock_hard_bytes());
  EXPECT_FALSE(limits.memlock_unlimited());
  EXPECT_EQ(limits.open_files(), 1024u);
}

TEST(JobLimits, AreAbsentWhereNothingStartsJobs) {
  FixtureTree tree;
  tree.File("/proc/1/comm", "systemd");
  EXPECT_EQ(ReadJobLimits(HostRoot(tree.path())).reading().outcome(), v1::OUTCOME_ABSENT);
}

TEST(NetSysctl, TakesTheLargerOfAllAndTheDevice) {
  FixtureTree tree;
  for (const char* name : {"rp_filter", "arp_ignore", "arp_announce", "arp_filter"}) {
    tree.File(std::string("/proc/sys/net/ipv4/conf/all/") + name, "0");
    tree.File(std::string("/proc/sys/net/ipv4/conf/ens1/") + name, "1");
  }
  tree.File("/proc/sys/net/ipv4/conf/all/rp_filter", "2");
  const v1::NetSysctl sysctl = ReadNetSysctl(HostRoot(tree.path()), "ens1");
  EXPECT_EQ(sysctl.reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(sysctl.rp_filter(), 2u);
  EXPECT_EQ(sysctl.arp_ignore(), 1u);
}

TEST(NetSysctl, HalfAnAnswerIsNoAnswer) {
  FixtureTree tree;
  tree.File("/proc/sys/net/ipv4/conf/all/rp_filter", "2");
  const v1::NetSysctl sysctl = ReadNetSysctl(HostRoot(tree.path()), "ens1");
  EXPECT_EQ(sysctl.reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_FALSE(sysctl.has_rp_filter());
}

TEST(RdmaStack, FallsBackToTheModulesParameter) {
  FixtureTree tree;
  tree.File("/sys/module/ib_core/parameters/netns_mode", "N");
  tree.File("/usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0", "");
  tree.Link("/usr/lib/x86_64-linux-gnu/libibverbs.so.1",
            "/usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0");
  const v1::RdmaStack stack = ReadRdmaStack(nullptr, HostRoot(tree.path()));
  EXPECT_EQ(stack.netns_mode(), "exclusive");
  EXPECT_EQ(stack.rdma_core_version(), "44.0");
  EXPECT_FALSE(stack.has_copy_on_fork());
}

TEST(CmDefaults, AreSkippedRatherThanMakingADirectory) {
  FixtureTree tree;
  tree.Folder("/sys/kernel/config/rdma_cm");
  const v1::CmDefaults defaults = ReadCmDefaults(HostRoot(tree.path()), "mlx5_0", 1);
  EXPECT_EQ(defaults.reading().outcome(), v1::OUTCOME_SKIPPED);
  EXPECT_TRUE(std::filesystem::is_empty(tree.path() + "/sys/kernel/config/rdma_cm"));
}

TEST(CmDefaults, AreReadWhereSomebodyMadeTheDirectory) {
  FixtureTree tree;
  const std::string port = "/sys/kernel/config/rdma_cm/mlx5_0/ports/1/";
  tree.File(port + "default_roce_mode", "RoCE v2").File(port + "default_roce_tos", "106");
  tree.File("/sys/class/infiniband/mlx5_0/tc/1/traffic_class", "Global tclass=104");
  const v1::CmDefaults defaults = ReadCmDefaults(HostRoot(tree.path()), "mlx5_0", 1);
  EXPECT_EQ(defaults.roce_mode(), "RoCE v2");
  EXPECT_EQ(defaults.tos(), 106u);
  EXPECT_EQ(defaults.global_traffic_class(), 104u);
}

}  // namespace
}  // namespace roceready::facts
