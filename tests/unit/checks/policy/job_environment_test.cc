// SPDX-License-Identifier: Apache-2.0
// What a job's environment says of its use of RDMA.
#include "checks/policy/job_environment.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/policy/assignments.h"
#include "checks/policy/loaded_policy.h"

namespace roceready {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Read(std::string_view text) {
  std::vector<std::string> all;
  for (const Assignment& one : ParseAssignments(text)) {
    all.push_back(fmt::format("{}:{} {}={}{}", one.at.line, one.at.column, one.name, one.value,
                              one.problem.empty() ? "" : " (" + one.problem + ")"));
  }
  return all;
}

TEST(Assignments, AreReadAsAShellReadsThem) {
  EXPECT_THAT(Read("A=1\n  export B=2\ndeclare -x C=\"3 4\"\n"),
              ElementsAre("1:1 A=1", "2:10 B=2", "3:12 C=3 4"));
  EXPECT_THAT(Read("A='x y' B=\"x\\\"y\" C=x\\ y; D=\n"),
              ElementsAre("1:1 A=x y", "1:9 B=x\"y", "1:18 C=x y", "1:26 D="));
  EXPECT_THAT(Read("A=1\r\nB=2\r\n"), ElementsAre("1:1 A=1", "2:1 B=2"));
  EXPECT_THAT(Read("A=1"), ElementsAre("1:1 A=1"));
}

TEST(Assignments, EndAtComments) {
  EXPECT_THAT(Read("# A=1\nB=2 # C=3\nD=4#5\n#!/bin/sh\n"), ElementsAre("2:1 B=2", "3:1 D=4#5"));
}

TEST(Assignments, ArePassedOverWhereThereAreNone) {
  EXPECT_THAT(Read("srun --mpi=pmix ./train\nif [ x = y ]; then\n1A=2\n=x\n\n"), IsEmpty());
}

TEST(Assignments, SayWhatIsNotTheValue) {
  EXPECT_THAT(Read("A=$B\nC='$D'\nE=\"x\nF=`id`\n"),
              ElementsAre("1:1 A=$B (expected the value itself: nothing is expanded here)",
                          "2:1 C=$D", "3:1 E=x (expected the quote to be closed on this line)",
                          "4:1 F=`id` (expected the value itself: nothing is expanded here)"));
}

JobEnvironment Of(std::string_view text) { return ReadJobEnvironment(text, "jobs/train.env"); }

std::string JobOf(std::string_view text) {
  const JobEnvironment environment = Of(text);
  EXPECT_TRUE(environment.ok()) << yaml::Render(environment.problems);
  return environment.job.ShortDebugString();
}

TEST(JobEnvironment, KnowsNccl) {
  EXPECT_EQ(JobOf("export NCCL_IB_GID_INDEX=3\nNCCL_IB_TC=106\nNCCL_IB_SL=3\nNCCL_IB_TIMEOUT=22\n"
                  "NCCL_IB_RETRY_CNT=7\nNCCL_IB_QPS_PER_CONNECTION=4\n"
                  "NCCL_IB_ROCE_VERSION_NUM=2\nNCCL_IB_ADDR_FAMILY=AF_INET\n"),
            "gid_index: 3 traffic_class: 106 service_level: 3 ack_timeout_exponent: 22 "
            "retry_count: 7 queue_pairs: 4 gid_type: GID_TYPE_ROCE_V2 gid_family: IP_FAMILY_V4");
  EXPECT_EQ(JobOf("NCCL_IB_TC=0x6a\n"), "traffic_class: 106");
}

TEST(JobEnvironment, KnowsUcx) {
  EXPECT_EQ(JobOf("UCX_IB_GID_INDEX=3\nUCX_IB_TRAFFIC_CLASS=106\nUCX_IB_SL=0\n"
                  "UCX_NET_DEVICES=mlx5_0:1,mlx5_1:1\nUCX_RC_RETRY_COUNT=7\n"),
            "gid_index: 3 traffic_class: 106 service_level: 0 retry_count: 7 interfaces: "
            "\"mlx5_0:1\" interfaces: \"mlx5_1:1\"");
}

TEST(JobEnvironment, LeavesToTheLibraryWhatItIsToChoose) {
  EXPECT_EQ(JobOf("NCCL_IB_GID_INDEX=-1\nNCCL_IB_TC=-1\nUCX_IB_GID_INDEX=auto\n"
                  "UCX_IB_TRAFFIC_CLASS=auto\nUCX_NET_DEVICES=all\n"),
            "");
}

TEST(JobEnvironment, KnowsTheFormsOfNcclsDevices) {
  EXPECT_THAT(Of("NCCL_IB_HCA=mlx5\n").job.interfaces(), ElementsAre("mlx5*"));
  EXPECT_THAT(Of("NCCL_IB_HCA=mlx5_0:1,mlx5_2\n").job.interfaces(),
              ElementsAre("mlx5_0*:1", "mlx5_2*"));
  EXPECT_THAT(Of("NCCL_IB_HCA==mlx5_0:1,mlx5_2\n").job.interfaces(),
              ElementsAre("mlx5_0:1", "mlx5_2"));
  EXPECT_THAT(Of("NCCL_IB_HCA=^mlx5_1\n").job.interfaces(), ElementsAre("^mlx5_1*"));
  EXPECT_THAT(Of("NCCL_IB_HCA=^=mlx5_1,mlx5_3:2\n").job.interfaces(),
              ElementsAre("^mlx5_1", "^mlx5_3:2"));
}

TEST(JobEnvironment, TakesTheLastOfSeveral) {
  EXPECT_EQ(JobOf("NCCL_IB_TC=0\nNCCL_IB_TC=106\n"), "traffic_class: 106");
  EXPECT_THAT(Of("NCCL_IB_TC=0\nNCCL_IB_TC=106\n").sources,
              ElementsAre(::testing::Pair("traffic_class", "train.env:2")));
}

TEST(JobEnvironment, JudgesNcclWhereTheTwoDiffer) {
  const JobEnvironment environment =
      Of("UCX_IB_TRAFFIC_CLASS=0\nNCCL_IB_TC=106\nUCX_IB_GID_INDEX=3\nNCCL_IB_GID_INDEX=3\n");
  EXPECT_EQ(environment.job.ShortDebugString(), "gid_index: 3 traffic_class: 106");
  EXPECT_THAT(environment.not_judged,
              ElementsAre("UCX_IB_TRAFFIC_CLASS=\"0\" of the job (train.env:1): what train.env:2 "
                          "says is"));
}

TEST(JobEnvironment, NamesWhatMattersAndIsNotJudged) {
  EXPECT_THAT(
      Of("PATH=/bin\nNCCL_SOCKET_IFNAME=eth0\nNCCL_IB_DISABLE=1\nNCCL_DEBUG=INFO\n"
         "NCCL_IB_GID_IDX=3\nUCX_TLS=tcp\nNCCL_IB_SL=3\nUCX_NET_DEVICES=eth0\n")
          .not_judged,
      ElementsAre(
          "NCCL_SOCKET_IFNAME=\"eth0\" of the job (train.env:2)",
          "NCCL_IB_DISABLE=\"1\" of the job (train.env:3): the job would use no RDMA at all",
          "NCCL_IB_GID_IDX=\"3\" of the job (train.env:5): no variable that is known here "
          "(did you mean NCCL_IB_GID_INDEX?)",
          "NCCL_IB_SL=\"3\" of the job (train.env:7): no check knows which service level "
          "the fabric wants",
          "UCX_TLS=\"tcp\" of the job (train.env:6)",
          "UCX_NET_DEVICES=\"eth0\" of the job (train.env:8): its devices without a port "
          "carry TCP"));
}

TEST(JobEnvironment, TellsEveryValueThatCannotBe) {
  EXPECT_EQ(
      yaml::Render(Of("NCCL_IB_TC=256\nexport NCCL_IB_TIMEOUT=\"32\" NCCL_IB_SL=high\n"
                      "NCCL_IB_RETRY_CNT=8\nNCCL_IB_QPS_PER_CONNECTION=0\nNCCL_IB_GID_INDEX=$I\n"
                      "NCCL_IB_HCA=\nUCX_NET_DEVICES=a b\nNCCL_IB_ADDR_FAMILY=ipv4\n"
                      "NCCL_IB_ROCE_VERSION_NUM=3\nUCX_IB_SL=-1\nNCCL_IB_HCA=mlx5_0:x\n")
                       .problems),
      "jobs/train.env:1:1: NCCL_IB_TC: found \"256\", expected a number from 0 to 255, or -1\n"
      "jobs/train.env:2:8: NCCL_IB_TIMEOUT: found \"32\", expected a number from 0 to 31\n"
      "jobs/train.env:2:29: NCCL_IB_SL: found \"high\", expected a number from 0 to 15, or -1\n"
      "jobs/train.env:3:1: NCCL_IB_RETRY_CNT: found \"8\", expected a number from 0 to 7\n"
      "jobs/train.env:4:1: NCCL_IB_QPS_PER_CONNECTION: found \"0\", expected a number from 1 to "
      "128\n"
      "jobs/train.env:5:1: NCCL_IB_GID_INDEX: found \"$I\", expected the value itself: nothing is "
      "expanded here\n"
      "jobs/train.env:8:1: NCCL_IB_ADDR_FAMILY: found \"ipv4\", expected AF_INET or AF_INET6\n"
      "jobs/train.env:9:1: NCCL_IB_ROCE_VERSION_NUM: found \"3\", expected 1 or 2\n"
      "jobs/train.env:10:1: UCX_IB_SL: found \"-1\", expected a number from 0 to 15, or auto\n"
      "jobs/train.env:11:1: NCCL_IB_HCA: found \"mlx5_0:x\", expected RDMA devices with ',' "
      "between "
      "them, such as mlx5_0:1,mlx5_2, with '=', '^' or '^=' before all");
  EXPECT_FALSE(Of("NCCL_IB_HCA=\n").ok());
  EXPECT_FALSE(Of("NCCL_IB_HCA=^\n").ok());
}

EffectivePolicy Under(std::string_view environment) {
  const PolicyResult policy = LoadPolicy(
      "name: p\njob: {traffic_class: 0, retry_count: 3, interfaces: [mlx5_9]}\n", "p.yaml", {});
  return policy.policy->WithJob(Of(environment))->ForHost("gpu1");
}

TEST(PolicyWithJob, SaysWhatTheEnvironmentSaysAndWhereItStands) {
  const EffectivePolicy policy = Under("NCCL_IB_TC=106\nNCCL_IB_HCA=mlx5\nNCCL_NET=IB\n");
  EXPECT_EQ(policy.job.traffic_class(), 106u);
  EXPECT_EQ(policy.SourceOf("job.traffic_class"), "train.env:1");
  EXPECT_THAT(policy.job.interfaces(), ElementsAre("mlx5*"));
  EXPECT_EQ(policy.job.retry_count(), 3u);
  EXPECT_EQ(policy.SourceOf("job.retry_count"), "p.yaml:2");
  EXPECT_THAT(policy.not_judged, ElementsAre("NCCL_NET=\"IB\" of the job (train.env:3)"));
  EXPECT_NE(policy.digest, Under("NCCL_IB_TC=104\n").digest);
}

TEST(PolicyWithJob, KnowsNcclsRetries) {
  const PolicyResult policy = LoadPolicy("name: p\n", "p.yaml", {});
  const EffectivePolicy with = policy.policy->WithJob(Of("NCCL_IB_TIMEOUT=14\n"))->ForHost("gpu1");
  EXPECT_EQ(with.job.retry_count(), 7u);
  EXPECT_EQ(with.SourceOf("job.retry_count"), "NCCL's default");
  EXPECT_FALSE(policy.policy->WithJob(Of("NCCL_IB_TC=0\n"))->ForHost("gpu1").job.has_retry_count());
}

}  // namespace
}  // namespace roceready
