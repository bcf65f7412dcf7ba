// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/counters.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "agent/facts/counter_names.h"
#include "agent/facts/counter_window.h"
#include "agent/facts/ethernet.h"
#include "tests/support/fake_netlink.h"
#include "tests/support/source_path.h"

namespace roceready::facts {
namespace {

using std::chrono::seconds;

const v1::CounterSample* Find(const v1::PortCounters& counters, v1::CounterId id,
                              std::optional<uint32_t> priority = std::nullopt) {
  for (const v1::CounterSample& sample : counters.samples()) {
    const bool same_priority =
        priority ? sample.has_priority() && sample.priority() == *priority : !sample.has_priority();
    if (sample.id() == id && same_priority) return &sample;
  }
  return nullptr;
}

TEST(CounterNames, TheSameEventHasTheSameIdOnEveryDriver) {
  EXPECT_EQ(RdmaCounterOf("mlx5", "np_cnp_sent")->id, v1::COUNTER_ID_CNP_SENT);
  EXPECT_EQ(RdmaCounterOf("bnxt_re", "tx_cnp_pkts")->id, v1::COUNTER_ID_CNP_SENT);
  EXPECT_EQ(RdmaCounterOf("bnxt_re", "np_cnp_pkts")->id, v1::COUNTER_ID_CNP_SENT);
  EXPECT_EQ(RdmaCounterOf("irdma", "cnpSent")->id, v1::COUNTER_ID_CNP_SENT);
  EXPECT_EQ(RdmaCounterOf("hns", "tx_cnp_pkt")->id, v1::COUNTER_ID_CNP_SENT);
  EXPECT_EQ(RdmaCounterOf("rxe", "send_rnr_err")->id, v1::COUNTER_ID_OUT_OF_BUFFER);
  EXPECT_EQ(RdmaCounterOf("rxe", "np_cnp_sent"), std::nullopt);
}

// bnxt_re took mlx5's names in 7.2, irdma dropped a prefix.
TEST(CounterNames, ARenamedCounterKeepsItsId) {
  const auto same = [](std::string_view driver, std::string_view before, std::string_view after) {
    const auto one = RdmaCounterOf(driver, before);
    return one.has_value() && one == RdmaCounterOf(driver, after);
  };
  EXPECT_TRUE(same("bnxt_re", "to_retransmits", "local_ack_timeout_err"));
  EXPECT_TRUE(same("bnxt_re", "oos_drop_count", "out_of_sequence"));
  EXPECT_TRUE(same("bnxt_re", "dup_req", "duplicate_request"));
  EXPECT_TRUE(same("bnxt_re", "rnr_naks_rcvd", "rnr_nak_retry_err"));
  EXPECT_TRUE(same("bnxt_re", "rx_cnp_pkts", "rp_cnp_handled"));
  EXPECT_TRUE(same("bnxt_re", "rx_ecn_marked_pkts", "np_ecn_marked_roce_packets"));
  EXPECT_TRUE(same("bnxt_re", "rx_out_of_buffer", "out_of_buffer"));
  EXPECT_TRUE(same("irdma", "tcpRetransSegs", "RetransSegs"));
}

// irdma's third generation has blanks inside its names, and firmware fills names up at the end.
TEST(CounterNames, BlanksInsideBelongToTheNameAndThoseAtItsEndDoNot) {
  EXPECT_EQ(RdmaCounterOf("irdma", "Nak Sequence Error")->id, v1::COUNTER_ID_OUT_OF_SEQUENCE);
  EXPECT_EQ(RdmaCounterOf("irdma", "CRC errors   ")->id, v1::COUNTER_ID_ICRC_ERRORS);
  EXPECT_EQ(RdmaCounterOf("irdma", "NakSequenceError"), std::nullopt);
  EXPECT_EQ(EthernetCounterOf("rx_prio3_pause  "),
            (CommonCounter{v1::COUNTER_ID_RX_PAUSE_FRAMES, 3}));
  EXPECT_EQ(EthernetCounterOf("rx_prio3 _pause"), std::nullopt);
}

TEST(CounterNames, PrioritiesAreReadOutOfEthernetNames) {
  EXPECT_EQ(EthernetCounterOf("rx_prio3_pause"),
            (CommonCounter{v1::COUNTER_ID_RX_PAUSE_FRAMES, 3}));
  EXPECT_EQ(EthernetCounterOf("tx_pfc_ena_frames_pri7"),
            (CommonCounter{v1::COUNTER_ID_TX_PAUSE_FRAMES, 7}));
  EXPECT_EQ(EthernetCounterOf("rx_priority_0_xoff.nic"),
            (CommonCounter{v1::COUNTER_ID_RX_PAUSE_FRAMES, 0}));
  EXPECT_EQ(EthernetCounterOf("mac_rx_pfc_pri5_pkt_num"),
            (CommonCounter{v1::COUNTER_ID_RX_PAUSE_FRAMES, 5}));
}

TEST(CounterNames, LookalikesAreLeftRaw) {
  EXPECT_EQ(EthernetCounterOf("rx_prio3_pause_duration"), std::nullopt);
  EXPECT_EQ(EthernetCounterOf("rx_prio8_pause"), std::nullopt);
  EXPECT_EQ(EthernetCounterOf("rx_prio_pause"), std::nullopt);
  EXPECT_EQ(EthernetCounterOf(""), std::nullopt);
}

TEST(CounterNames, NamesOfOneIdAreAddedUp) {
  v1::PortCounters counters;
  FillRdmaSamples("rxe", {{"out_of_seq_request", 3}, {"rcvd_seq_err", 4}, {"unheard", 9}},
                  &counters);
  ASSERT_EQ(counters.samples_size(), 1);
  EXPECT_EQ(counters.samples(0).total(), 7u);
}

// bnxt gives PFC frames by priority and their sum, qede the sum alone.
TEST(CounterNames, ASumOverPrioritiesCountsOnlyWhereItsPartsAreNotGiven) {
  v1::PortCounters bnxt;
  FillEthernetSamples({{"rx_pfc_frames", 9}, {"rx_pfc_ena_frames_pri3", 9}, {"rx_pause_frames", 2}},
                      &bnxt);
  EXPECT_EQ(Find(bnxt, v1::COUNTER_ID_RX_PAUSE_FRAMES, 3)->total(), 9u);
  EXPECT_EQ(Find(bnxt, v1::COUNTER_ID_RX_PAUSE_FRAMES)->total(), 2u);
  v1::PortCounters qede;
  FillEthernetSamples({{"rx_pfc_frames", 9}, {"rx_pause_frames", 2}, {"tx_pfc_frames", 4}}, &qede);
  EXPECT_EQ(Find(qede, v1::COUNTER_ID_RX_PAUSE_FRAMES)->total(), 11u);
  EXPECT_EQ(Find(qede, v1::COUNTER_ID_TX_PAUSE_FRAMES)->total(), 4u);
}

v1::PortCounters Pause(uint64_t sent, uint64_t received) {
  v1::PortCounters pause;
  for (const auto& [id, total] : {std::pair{v1::COUNTER_ID_TX_PAUSE_FRAMES, sent},
                                  std::pair{v1::COUNTER_ID_RX_PAUSE_FRAMES, received}}) {
    v1::CounterSample* sample = pause.add_samples();
    sample->set_id(id);
    sample->set_total(total);
  }
  return pause;
}

// A recorded netdevsim, which counts pause frames and has no private statistics.
TEST(StandardPause, IsWhatEthtoolNetlinkCounted) {
  auto generic = netlink::FakeTransport::FromFile(SourcePath("tests/hosts/guest-6.1/generic.txt"));
  ASSERT_TRUE(generic.ok()) << generic.status();
  const auto family = netlink::ResolveGenericFamily(*generic, netlink::kEthtoolFamily);
  ASSERT_TRUE(family.ok()) << family.status();
  v1::PortCounters counted;
  EXPECT_EQ(ReadGlobalPause(*generic, *family, "eth2", &counted).reading().outcome(),
            v1::OUTCOME_OK);
  EXPECT_EQ(Find(counted, v1::COUNTER_ID_TX_PAUSE_FRAMES)->total(), 2u);
  EXPECT_EQ(Find(counted, v1::COUNTER_ID_RX_PAUSE_FRAMES)->total(), 1u);
  // A driver that has pause and keeps no count of its frames.
  v1::PortCounters uncounted;
  EXPECT_TRUE(ReadGlobalPause(*generic, *family, "eth1", &uncounted).rx());
  EXPECT_TRUE(uncounted.samples().empty());
}

// mlx5 names its pause statistics only while PFC or global pause is on.
TEST(StandardPause, StandsInForWhatTheDriverDoesNotName) {
  v1::PortCounters totals;
  totals.mutable_reading()->set_outcome(v1::OUTCOME_OK);
  FillEthernetSamples({{"tx_prio3_pause", 5}}, &totals);
  AddStandardPause(Pause(50, 60), &totals);
  EXPECT_EQ(Find(totals, v1::COUNTER_ID_TX_PAUSE_FRAMES), nullptr) << "it includes priority 3";
  EXPECT_EQ(Find(totals, v1::COUNTER_ID_TX_PAUSE_FRAMES, 3)->total(), 5u);
  EXPECT_EQ(Find(totals, v1::COUNTER_ID_RX_PAUSE_FRAMES)->total(), 60u);
}

TEST(StandardPause, OfADriverWithoutStatisticsIsAllThereIs) {
  v1::PortCounters totals;
  totals.mutable_reading()->set_outcome(v1::OUTCOME_UNSUPPORTED);
  AddStandardPause(Pause(1, 2), &totals);
  EXPECT_EQ(totals.reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(totals.reading().source(), v1::SOURCE_ETHTOOL_NETLINK);
  EXPECT_EQ(Find(totals, v1::COUNTER_ID_RX_PAUSE_FRAMES)->total(), 2u);
}

TEST(StandardPause, DoesNotHideThatTheDriversStatisticsFailedNorThatThereAreNone) {
  for (const v1::Outcome outcome : {v1::OUTCOME_FAILED, v1::OUTCOME_TIMED_OUT}) {
    v1::PortCounters totals;
    totals.mutable_reading()->set_outcome(outcome);
    AddStandardPause(Pause(1, 2), &totals);
    EXPECT_EQ(totals.reading().outcome(), outcome);
    EXPECT_TRUE(totals.samples().empty());
  }
  v1::PortCounters none;
  none.mutable_reading()->set_outcome(v1::OUTCOME_UNSUPPORTED);
  AddStandardPause({}, &none);
  EXPECT_EQ(none.reading().outcome(), v1::OUTCOME_UNSUPPORTED);
}

TEST(EthernetTotals, ComeWithReadingAndRawNamesWhereWanted) {
  netlink::FakeEthtoolControl control;
  netlink::FakeEthtoolControl::Device device;
  device.statistics = {{{"rx_prio3_pause", 5}, {"something else", 1}}};
  control.Add("eth0", device);
  const NetDeviceEntry entry{"pci:0000:00:03.0/0", "eth0", 2, "0000:00:03.0", 0};
  const PortTotals totals = ReadEthernetTotals(control, entry, true);
  EXPECT_EQ(totals.counters.owner_id(), "pci:0000:00:03.0/0");
  EXPECT_EQ(totals.counters.reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(Find(totals.counters, v1::COUNTER_ID_RX_PAUSE_FRAMES, 3)->total(), 5u);
  EXPECT_EQ(totals.counters.raw().names_size(), 2);
  EXPECT_FALSE(ReadEthernetTotals(control, entry, false).counters.has_raw());
}

TEST(EthernetTotals, ADriverWithoutStatisticsIsUnsupported) {
  netlink::FakeEthtoolControl control;
  control.Add("eth0", {});
  const NetDeviceEntry entry{"name:eth0", "eth0", 2, "", 0};
  EXPECT_EQ(ReadEthernetTotals(control, entry, false).counters.reading().outcome(),
            v1::OUTCOME_UNSUPPORTED);
}

class Windows : public testing::Test {
 protected:
  v1::PortCounters Look(int at, uint64_t total, uint32_t incarnation = 1, bool wraps = false) {
    PortTotals totals;
    totals.incarnation = incarnation;
    totals.wraps_at_32_bits = wraps;
    totals.counters.set_owner_id("rdma:x/1");
    totals.counters.mutable_reading()->set_outcome(v1::OUTCOME_OK);
    v1::CounterSample* sample = totals.counters.add_samples();
    sample->set_id(v1::COUNTER_ID_RETRANSMITS);
    sample->set_total(total);
    v1::PortCounters result;
    windows_.AddDeltas(totals, CounterWindows::Time(seconds(at)), &result);
    return result;
  }
  CounterWindows windows_{seconds(10)};
};

TEST_F(Windows, AFirstLookHasNoDelta) {
  const v1::PortCounters counters = Look(0, 5);
  EXPECT_FALSE(counters.has_window());
  EXPECT_FALSE(counters.samples(0).has_delta());
  EXPECT_EQ(counters.samples(0).total(), 5u);
}

TEST_F(Windows, ADeltaSpansTheTimeBetweenLooks) {
  Look(0, 5);
  const v1::PortCounters counters = Look(30, 12);
  EXPECT_EQ(counters.window().seconds(), 30);
  EXPECT_EQ(counters.samples(0).delta(), 7u);
}

TEST_F(Windows, AMovementIsNotHiddenByLookingOften) {
  Look(0, 5);
  Look(10, 9);
  const v1::PortCounters counters = Look(11, 9);
  EXPECT_EQ(counters.window().seconds(), 11);
  EXPECT_EQ(counters.samples(0).delta(), 4u);
}

TEST_F(Windows, AMovementEndsToCountAfterTwoWindows) {
  Look(0, 5);
  Look(10, 9);
  Look(20, 9);
  const v1::PortCounters counters = Look(30, 9);
  EXPECT_EQ(counters.samples(0).delta(), 0u);
  EXPECT_EQ(counters.window().seconds(), 10);
}

TEST_F(Windows, OwnTrafficIsInNoWindow) {
  Look(0, 5);
  Look(10, 9);
  windows_.ForgetBefore(CounterWindows::Time(seconds(15)));
  EXPECT_FALSE(Look(16, 90).has_window()) << "both looks are of before";
  EXPECT_EQ(Look(18, 91).samples(0).delta(), 1u);
}

TEST_F(Windows, OwnTrafficEndsTheOlderWindowOnly) {
  Look(0, 5);
  Look(10, 9);
  windows_.ForgetBefore(CounterWindows::Time(seconds(8)));
  const v1::PortCounters counters = Look(11, 10);
  EXPECT_EQ(counters.window().seconds(), 1);
  EXPECT_EQ(counters.samples(0).delta(), 1u);
}

TEST_F(Windows, AResetStartsANewWindow) {
  Look(0, 500);
  EXPECT_FALSE(Look(20, 3).samples(0).has_delta());
  EXPECT_EQ(Look(40, 4).samples(0).delta(), 1u);
}

TEST_F(Windows, ADeviceMadeAnewStartsANewWindow) {
  Look(0, 5, 1);
  EXPECT_FALSE(Look(20, 50, 2).samples(0).has_delta());
  EXPECT_EQ(Look(40, 51, 2).samples(0).delta(), 1u);
}

TEST_F(Windows, A32BitCounterMayWrap) {
  Look(0, 0xffff'fff0, 1, true);
  EXPECT_EQ(Look(20, 0x10, 1, true).samples(0).delta(), 0x20u);
}

TEST_F(Windows, A64BitCounterThatFallsWasReset) {
  Look(0, 0xffff'fff0, 1, false);
  EXPECT_FALSE(Look(20, 0x10, 1, false).samples(0).has_delta());
}

TEST_F(Windows, ASmall32BitCounterThatFallsWasReset) {
  Look(0, 1000, 1, true);
  EXPECT_FALSE(Look(20, 10, 1, true).samples(0).has_delta());
}

// mlx5 has rx_prio3_pause only while PFC is on: it comes with a total and without a movement, and
// its going is no reset of the others.
TEST_F(Windows, ANameThatComesAndGoesTakesNoOtherAlong) {
  const auto look = [this](int at, uint64_t retransmits, std::optional<uint64_t> pause) {
    PortTotals totals;
    totals.counters.set_owner_id("pci:x/0");
    totals.counters.mutable_reading()->set_outcome(v1::OUTCOME_OK);
    v1::CounterSample* sample = totals.counters.add_samples();
    sample->set_id(v1::COUNTER_ID_RETRANSMITS);
    sample->set_total(retransmits);
    if (pause) {
      v1::CounterSample* frames = totals.counters.add_samples();
      frames->set_id(v1::COUNTER_ID_RX_PAUSE_FRAMES);
      frames->set_priority(3);
      frames->set_total(*pause);
    }
    v1::PortCounters result;
    windows_.AddDeltas(totals, CounterWindows::Time(seconds(at)), &result);
    return result;
  };
  look(0, 5, std::nullopt);
  const v1::PortCounters came = look(20, 6, 900);
  EXPECT_EQ(Find(came, v1::COUNTER_ID_RETRANSMITS)->delta(), 1u);
  EXPECT_FALSE(Find(came, v1::COUNTER_ID_RX_PAUSE_FRAMES, 3)->has_delta());
  EXPECT_EQ(Find(look(40, 6, 907), v1::COUNTER_ID_RX_PAUSE_FRAMES, 3)->delta(), 7u);
  EXPECT_EQ(Find(look(60, 8, std::nullopt), v1::COUNTER_ID_RETRANSMITS)->delta(), 2u);
}

TEST_F(Windows, AFailedReadingChangesNothing) {
  Look(0, 5);
  PortTotals failed;
  failed.counters.set_owner_id("rdma:x/1");
  failed.counters.mutable_reading()->set_outcome(v1::OUTCOME_TIMED_OUT);
  v1::PortCounters result;
  windows_.AddDeltas(failed, CounterWindows::Time(seconds(15)), &result);
  EXPECT_FALSE(result.has_window());
  EXPECT_EQ(Look(30, 8).samples(0).delta(), 3u);
}

}  // namespace
}  // namespace roceready::facts
