// SPDX-License-Identifier: Apache-2.0
#include "controller/why/error_log.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace roceready::why {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<ErrorLine> Read(const std::string& log) {
  std::istringstream stream(log);
  std::vector<ErrorLine> errors;
  EXPECT_TRUE(
      ReadErrors(stream, [&](ErrorLine error) { errors.push_back(std::move(error)); }).ok());
  return errors;
}

ErrorLine Only(const std::string& log) {
  const std::vector<ErrorLine> errors = Read(log);
  if (errors.size() == 1) return errors.front();
  ADD_FAILURE() << errors.size() << " errors in: " << log;
  return {};
}

constexpr char kRetries[] =
    "ib_mlx5_log.c:177  Transport retry count exceeded on mlx5_0:1/RoCE (synd 0x15 vend 0x81 "
    "hw_synd 0/0)\n";

std::string Request(const std::string& peer) {
  return "ib_mlx5_log.c:177  RC QP 0x1a2 wqe[3]: SEND s-e [rqpn 0x2b1 dlid=0 sl=0 port=1 "
         "src_path_bits=0 dgid=" +
         peer + " sgid_index=3 traffic_class=106]\n";
}

TEST(ErrorLog, WhatUcxWasDoingStandsOnTheNextLine) {
  const std::string writer = "[gpu017:2711 :0:2711] ";
  const ErrorLine error = Only(writer + kRetries + writer + Request("::ffff:10.77.0.18"));
  EXPECT_EQ(error.kind, ErrorKind::kRetriesExceeded);
  EXPECT_EQ(error.number, 1u);
  EXPECT_EQ(error.host, "gpu017");
  EXPECT_THAT(error.remote_addresses, ElementsAre("::ffff:10.77.0.18"));
  EXPECT_THAT(error.devices, ElementsAre("mlx5_0"));
  EXPECT_EQ(error.gid_index, 3u);
  EXPECT_EQ(error.traffic_class, 106u);
}

TEST(ErrorLog, LinesOfOtherProcessesMayComeBetweenThoseOfUcx) {
  const std::string first = "3: [1772539898.123456] [gpu017:2711:0] ",
                    second = "4: [1772539898.123457] [gpu018:99:0] ",
                    third = "4: [1772539898.123458] [gpu018:100:0] ";
  const std::vector<ErrorLine> errors =
      Read(first + kRetries + second + kRetries + third +
           "ucp_ep.c:1508 UCX  DIAG  ep 0x7f1eac0b5108\n" + "epoch 3\n" + second +
           Request("::ffff:10.77.0.17") + first + Request("::ffff:10.77.0.18") + third +
           Request("::ffff:10.77.0.19"));
  ASSERT_THAT(errors, SizeIs(2));
  EXPECT_EQ(errors[0].host, "gpu018");
  EXPECT_THAT(errors[0].remote_addresses, ElementsAre("::ffff:10.77.0.17"));
  EXPECT_EQ(errors[1].host, "gpu017");
  EXPECT_THAT(errors[1].remote_addresses, ElementsAre("::ffff:10.77.0.18"));
}

TEST(ErrorLog, TheNextLineOfOlderUcxHasNoBeginning) {
  EXPECT_THAT(
      Only(std::string("[1772539898.123456] [gpu017:2711:0] ") + kRetries +
           "RC QP 0x1a2 wqe[3]: SEND s-e [rqpn 0x2b1 dgid=::ffff:10.77.0.18 sgid_index=3]\n")
          .remote_addresses,
      ElementsAre("::ffff:10.77.0.18"));
  EXPECT_THAT(
      Only(
          std::string("[1772539898.123456] [gpu017:2711:0] ") + kRetries +
          "step 4\nRC QP 0x1a2 wqe[3]: SEND s-e [rqpn 0x2b1 dgid=::ffff:10.77.0.18 sgid_index=3]\n")
          .remote_addresses,
      IsEmpty());
}

TEST(ErrorLog, AnErrorOfUcxDoesNotWaitForEver) {
  const std::string writer = "[gpu017:2711 :0:2711] ";
  // To the end of the log, and to the next error of the process.
  const std::vector<ErrorLine> two =
      Read(writer + kRetries + writer + kRetries + writer + Request("::ffff:10.77.0.18"));
  ASSERT_THAT(two, SizeIs(2));
  EXPECT_THAT(two[0].remote_addresses, IsEmpty());
  EXPECT_THAT(two[1].remote_addresses, ElementsAre("::ffff:10.77.0.18"));
  // What comes this much later is of something else.
  std::string log = writer + kRetries;
  for (int i = 0; i < 2000; ++i) log += "step\n";
  EXPECT_THAT(Only(log + writer + Request("::ffff:10.77.0.18")).remote_addresses, IsEmpty());
  // More processes than are remembered: none of their errors is lost.
  log.clear();
  for (int i = 0; i < 3000; ++i) log += fmt::format("[gpu{}:2711 :0:2711] {}", i, kRetries);
  EXPECT_THAT(Read(log), SizeIs(3000));
}

std::string Ends(const std::string& task, int local, int remote) {
  return fmt::format(
      "{0} local address: LID 0000 QPN 0x0107 PSN 0x41d4ae RKey 0x007e4d VAddr 0x007f3dea182000\n"
      "{0} GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:77:00:{1:02}\n"
      "{0} remote address: LID 0000 QPN 0x0109 PSN 0xb00f6c RKey 0x00827d VAddr 0x007f55e740b000\n"
      "{0} GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:77:00:{2:02}\n",
      task, local, remote);
}

constexpr char kFailed[] =
    " Completion with error at client\n Failed status 12: wr_id 0 syndrom 0x81\nscnt=128, ccnt=0\n";

TEST(ErrorLog, EndsOfPerftestStandLongBeforeItsError) {
  const ErrorLine error =
      Only(Ends("", 1, 2) + " #bytes     #iterations    BW peak[Gb/sec]\n" + kFailed);
  EXPECT_EQ(error.kind, ErrorKind::kRetriesExceeded);
  EXPECT_EQ(error.number, 7u);
  EXPECT_THAT(error.local_addresses, ElementsAre("0000:0000:0000:0000:0000:ffff:0a4d:0001"));
  EXPECT_THAT(error.remote_addresses, ElementsAre("0000:0000:0000:0000:0000:ffff:0a4d:0002"));
}

TEST(ErrorLog, EndsOfPerftestAreThoseOfTheTask) {
  const std::vector<ErrorLine> errors =
      Read(Ends("[1,0]<stdout>:", 1, 2) + Ends("[1,1]<stdout>:", 3, 4) +
           "[1,1]<stderr>: Failed status 13: wr_id 0 syndrom 0x87\n"
           "[1,0]<stderr>: Failed status 12: wr_id 0 syndrom 0x81\n"
           "[1,2]<stderr>: Failed status 12: wr_id 0 syndrom 0x81\n");
  ASSERT_THAT(errors, SizeIs(3));
  EXPECT_THAT(errors[0].remote_addresses, ElementsAre("0000:0000:0000:0000:0000:ffff:0a4d:0004"));
  EXPECT_THAT(errors[1].remote_addresses, ElementsAre("0000:0000:0000:0000:0000:ffff:0a4d:0002"));
  EXPECT_THAT(errors[2].remote_addresses, IsEmpty());
}

TEST(ErrorLog, EndsOfPerftestAreThoseOfTheLastTest) {
  EXPECT_THAT(Only(Ends("", 1, 2) + Ends("", 5, 6) + kFailed).remote_addresses,
              ElementsAre("0000:0000:0000:0000:0000:ffff:0a4d:0006"));
  // A test that ended before it knew its peer.
  const std::string next = Ends("", 5, 6);
  const ErrorLine error = Only(Ends("", 1, 2) + next.substr(0, next.find(" remote")) +
                               " Failed to modify QP 0x107 to RTR\n");
  EXPECT_EQ(error.kind, ErrorKind::kConnectTimedOut);
  EXPECT_THAT(error.local_addresses, ElementsAre("0000:0000:0000:0000:0000:ffff:0a4d:0005"));
  EXPECT_THAT(error.remote_addresses, IsEmpty());
  // Errors of others are not perftest's.
  EXPECT_THAT(Only(Ends("", 1, 2) + "cma event RDMA_CM_EVENT_REJECTED\n").remote_addresses,
              IsEmpty());
}

TEST(ErrorLog, WhatTellsNothingIsLeftOut) {
  EXPECT_THAT(Read(""), IsEmpty());
  EXPECT_THAT(Read("epoch 3: loss 0.12\nstatus=12 of the batch\n"), IsEmpty());
}

TEST(ErrorLog, LinesAreCountedHoweverLongTheyAreAndWhateverIsInThem) {
  constexpr std::string_view kBytes("\0\xff\n\n", 4);
  for (const std::size_t length : {0, 1, 1999, 2000, 2001, 65535, 65536, 65537, 1 << 20}) {
    const std::string noise(length, 'x');
    EXPECT_EQ(Only(fmt::format("{}{}cma event RDMA_CM_EVENT_REJECTED", noise, kBytes)).number, 3u)
        << length;
    EXPECT_EQ(Only(fmt::format("{}{}cma event RDMA_CM_EVENT_REJECTED\n", noise, kBytes)).number, 3u)
        << length;
    // What a long line is about stands at its beginning.
    EXPECT_EQ(Only(fmt::format("cma event RDMA_CM_EVENT_REJECTED{}\n", noise)).number, 1u)
        << length;
  }
}

// A log that is as long as it is asked to be, and of which no more is ever held than a stream's
// buffer.
class EndlessLog : public std::streambuf {
 public:
  EndlessLog(std::string text, std::size_t times) : text_(std::move(text)), times_(times) {}

 protected:
  int_type underflow() override {
    if (times_-- == 0) return traits_type::eof();
    setg(text_.data(), text_.data(), text_.data() + text_.size());
    return traits_type::to_int_type(text_.front());
  }

 private:
  std::string text_;
  std::size_t times_;
};

TEST(ErrorLog, ALongLogIsReadLineByLine) {
  constexpr std::size_t kTimes = 2'000;
  std::string text;
  for (int i = 0; i < 49; ++i)
    text += "gpu1:1:2 [0] 17.123456 ncclLaunchKernel:1300 NCCL TRACE launch 0x7f\n";
  EndlessLog log(
      text +
          "gpu1:1:2 [0] NCCL WARN Call to ibv_modify_qp failed with error Connection timed out\n",
      kTimes);
  std::istream stream(&log);
  std::size_t errors = 0, last = 0;
  EXPECT_TRUE(ReadErrors(stream, [&](const ErrorLine& error) {
                ++errors;
                last = error.number;
              }).ok());
  EXPECT_EQ(errors, kTimes);
  EXPECT_EQ(last, 50 * kTimes);
}

class BrokenLog : public std::streambuf {
 protected:
  int_type underflow() override { throw std::runtime_error("the disk is broken"); }
};

TEST(ErrorLog, ALogThatCannotBeReadToItsEndIsSaid) {
  BrokenLog log;
  std::istream stream(&log);
  EXPECT_EQ(ReadErrors(stream, [](const ErrorLine&) {}).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace roceready::why
