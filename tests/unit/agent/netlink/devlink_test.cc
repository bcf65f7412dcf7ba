// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/devlink.h"

#include <gmock/gmock.h>

#include <cerrno>

#include "tests/unit/agent/netlink/recorded.h"

namespace roceready::netlink {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A guest with two instances: the lab's testnic (stored firmware newer than running) and netdevsim.
class Devlink : public testing::Test {
 protected:
  void SetUp() override {
    auto family = ResolveGenericFamily(generic_, kDevlinkFamily);
    ASSERT_TRUE(family.ok()) << family.status();
    family_ = *family;
  }
  FakeTransport generic_ = Guest("generic");
  GenericFamily family_;
  const DevlinkHandle testnic_{"pci", "0000:00:05.0"};
  const DevlinkHandle netdevsim_{"netdevsim", "netdevsim7"};
};

TEST_F(Devlink, DevicesAreListed) {
  const auto devices = ReadDevlinkDevices(generic_, family_);
  ASSERT_TRUE(devices.ok()) << devices.status();
  EXPECT_THAT(*devices, ElementsAre(testnic_, netdevsim_));
}

TEST_F(Devlink, InfoTellsFixedRunningAndStoredVersionsApart) {
  const auto info = ReadDevlinkInfo(generic_, family_, testnic_);
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->driver, "testnic");
  EXPECT_EQ(info->serial_number, "MT2026X00001");
  EXPECT_EQ(info->board_serial_number, std::nullopt);
  EXPECT_THAT(info->fixed, ElementsAre(DevlinkVersion{"fw.psid", "MT_0000000359"}));
  EXPECT_THAT(info->running, ElementsAre(DevlinkVersion{"fw.version", "22.35.1012"}));
  EXPECT_THAT(info->stored, ElementsAre(DevlinkVersion{"fw.version", "22.36.1010"}));
}

TEST_F(Devlink, InfoWithoutFixedVersions) {
  const auto info = ReadDevlinkInfo(generic_, family_, netdevsim_);
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->driver, "netdevsim");
  EXPECT_EQ(info->serial_number, std::nullopt);
  EXPECT_THAT(info->fixed, IsEmpty());
  EXPECT_THAT(info->running, ElementsAre(DevlinkVersion{"fw.mgmt", "10.20.30"}));
}

TEST_F(Devlink, HealthReporters) {
  const auto reporters = ReadDevlinkHealth(generic_, family_);
  ASSERT_TRUE(reporters.ok()) << reporters.status();
  ASSERT_EQ(reporters->size(), 2u);
  EXPECT_EQ(reporters->front().handle, netdevsim_);
  EXPECT_EQ(reporters->front().name, "empty");
  EXPECT_EQ(reporters->front().state, 0);
  EXPECT_EQ(reporters->front().error_count, 0u);
  EXPECT_EQ(reporters->front().recover_count, 0u);
  EXPECT_EQ(reporters->front().port_index, std::nullopt);
  EXPECT_EQ(reporters->back().name, "dummy");
}

TEST_F(Devlink, NumberParameter) {
  const auto param = ReadDevlinkParam(generic_, family_, netdevsim_, "max_macs");
  ASSERT_TRUE(param.ok()) << param.status();
  EXPECT_EQ(param->name, "max_macs");
  EXPECT_TRUE(param->generic);
  EXPECT_EQ(param->type, 3);
  ASSERT_EQ(param->values.size(), 1u);
  EXPECT_EQ(param->values[0].mode, 1);
  EXPECT_EQ(param->values[0].value, DevlinkValue(uint64_t{32}));
}

TEST_F(Devlink, BooleanParameterIsAFlag) {
  const auto param = ReadDevlinkParam(generic_, family_, netdevsim_, "test1");
  ASSERT_TRUE(param.ok()) << param.status();
  EXPECT_FALSE(param->generic);
  ASSERT_EQ(param->values.size(), 1u);
  EXPECT_EQ(param->values[0].value, DevlinkValue(true));
}

TEST_F(Devlink, ParameterThatTheDriverLacksIsEinval) {
  EXPECT_EQ(ErrnoOf(ReadDevlinkParam(generic_, family_, testnic_, "enable_roce").status()), EINVAL);
}

TEST(DevlinkEswitch, OfTheKernelWithAllThreeModes) {
  FakeTransport generic = SriovGuest("generic");
  const auto family = ResolveGenericFamily(generic, kDevlinkFamily);
  ASSERT_TRUE(family.ok()) << family.status();
  const DevlinkHandle testnic{"pci", "0000:01:00.0"};
  const auto eswitch = ReadDevlinkEswitch(generic, *family, testnic);
  ASSERT_TRUE(eswitch.ok()) << eswitch.status();
  EXPECT_EQ(eswitch->handle, testnic);
  EXPECT_EQ(eswitch->mode, 1);
  EXPECT_EQ(eswitch->inline_mode, 3);
  EXPECT_EQ(eswitch->encap_mode, 1);
  ExpectCutsAreRefused(Answered(generic, DevlinkEswitchRequest(*family, testnic)).at(0), 4,
                       &DecodeDevlinkEswitch);
}

// "pci/0000:3b:00.0", then the attributes.
Message OnMlx5(std::string_view attributes) {
  return MessageOf(0x15, "26010000 08000100 70636900 11000200 303030303a33623a30302e3000 000000" +
                             std::string(attributes));
}

TEST(DevlinkBytes, EnableRoceOffHasAValueWithoutData) {
  // Composed: PARAM(80) { NAME(81) enable_roce, GENERIC(82), TYPE(83) flag, VALUES_LIST(84) {
  // VALUE(85) { CMODE(87) driverinit } } }: a boolean false has no DATA(86).
  const auto param = DecodeDevlinkParam(
      OnMlx5("30005080 10005100 656e61626c655f726f636500 04005200 05005300 06000000"
             "10005480 0c005580 05005700 01000000"));
  ASSERT_TRUE(param.ok()) << param.status();
  EXPECT_EQ(param->handle, (DevlinkHandle{"pci", "0000:3b:00.0"}));
  EXPECT_EQ(param->name, "enable_roce");
  ASSERT_EQ(param->values.size(), 1u);
  EXPECT_EQ(param->values[0].mode, 1);
  EXPECT_EQ(param->values[0].value, DevlinkValue(false));
}

TEST(DevlinkBytes, ValueOfAnUnknownTypeIsNotGuessed) {
  const auto param =
      DecodeDevlinkParam(OnMlx5("2c005080 06005100 78000000 05005300 09000000"
                                "18005480 14005580 05005600 01000000 05005700 00000000"));
  ASSERT_TRUE(param.ok()) << param.status();
  ASSERT_EQ(param->values.size(), 1u);
  EXPECT_EQ(param->values[0].value, DevlinkValue(std::monostate()));
}

TEST(DevlinkBytes, ReporterInErrorOfAPort) {
  // Composed: PORT_INDEX(3) 1, HEALTH_REPORTER(114) { NAME(115) tx, STATE(116) error,
  // ERR_COUNT(117) 2, RECOVER_COUNT(118) 1 }.
  const auto reporter =
      DecodeDevlinkHealth(OnMlx5("08000300 01000000 2c007280 07007300 74780000 05007400 01000000"
                                 "0c007500 0200000000000000 0c007600 0100000000000000"));
  ASSERT_TRUE(reporter.ok()) << reporter.status();
  EXPECT_EQ(reporter->port_index, 1u);
  EXPECT_EQ(reporter->name, "tx");
  EXPECT_EQ(reporter->state, 1);
  EXPECT_EQ(reporter->error_count, 2u);
  EXPECT_EQ(reporter->recover_count, 1u);
}

// Composed: the handle, then ESWITCH_MODE(25), ESWITCH_INLINE_MODE(26), ESWITCH_ENCAP_MODE(62).
Message Eswitch(std::string_view attributes) {
  Message message = OnMlx5(attributes);
  message.payload[0] = 29;
  return message;
}
constexpr std::string_view kSwitchdev = "06001900 01000000 05001a00 02000000 05003e00 01000000";

TEST(DevlinkBytes, TheEmbeddedSwitchHasThreeModes) {
  const auto eswitch = DecodeDevlinkEswitch(Eswitch(kSwitchdev));
  ASSERT_TRUE(eswitch.ok()) << eswitch.status();
  EXPECT_EQ(eswitch->handle, (DevlinkHandle{"pci", "0000:3b:00.0"}));
  EXPECT_EQ(eswitch->mode, 1);
  EXPECT_EQ(eswitch->inline_mode, 2);
  EXPECT_EQ(eswitch->encap_mode, 1);
}

TEST(DevlinkBytes, ADriverWithoutSwitchAnswersWithoutModes) {
  const auto eswitch = DecodeDevlinkEswitch(Eswitch(""));
  ASSERT_TRUE(eswitch.ok()) << eswitch.status();
  EXPECT_EQ(eswitch->mode, std::nullopt);
  EXPECT_EQ(eswitch->inline_mode, std::nullopt);
  EXPECT_EQ(eswitch->encap_mode, std::nullopt);
}

TEST(DevlinkBytes, ModesOfTheWrongSizeOrGivenTwiceAreRefused) {
  EXPECT_FALSE(DecodeDevlinkEswitch(Eswitch("05001900 01000000")).ok());
  EXPECT_FALSE(DecodeDevlinkEswitch(Eswitch("08001a00 01000000")).ok());
  EXPECT_FALSE(DecodeDevlinkEswitch(Eswitch("06001900 01000000 06001900 00000000")).ok());
  EXPECT_FALSE(DecodeDevlinkEswitch(MessageOf(0x15, "1d010000 06001900 01000000")).ok());
  ExpectCutsAreRefused(Eswitch(kSwitchdev), 4, &DecodeDevlinkEswitch);
}

TEST(DevlinkBytes, RowsWithoutTheirKeyAreRefused) {
  EXPECT_FALSE(DecodeDevlinkDevice(MessageOf(0x15, "03010000 08000100 70636900")).ok());
  EXPECT_FALSE(DecodeDevlinkInfo(MessageOf(0x15, "33010000")).ok());
  EXPECT_FALSE(DecodeDevlinkHealth(OnMlx5("")).ok());
  EXPECT_FALSE(DecodeDevlinkHealth(OnMlx5("0c007280 05007400 01000000")).ok());
  EXPECT_FALSE(DecodeDevlinkParam(OnMlx5("")).ok());
  // A version without a value, a parameter value without a mode.
  EXPECT_FALSE(DecodeDevlinkInfo(OnMlx5("0c006580 07006700 66770000")).ok());
  EXPECT_FALSE(DecodeDevlinkParam(OnMlx5("1c005080 06005100 78000000 05005300 06000000"
                                         "08005480 04005580"))
                   .ok());
}

TEST(DevlinkBytes, AnAnswerAboutAnotherDeviceIsRefused) {
  FakeTransport generic;
  const GenericFamily family{0x15, 1};
  const DevlinkHandle asked{"pci", "0000:af:00.0"};
  generic.Answer(DevlinkInfoRequest(family, asked), {OnMlx5("")});
  EXPECT_EQ(ReadDevlinkInfo(generic, family, asked).status().code(), absl::StatusCode::kDataLoss);
  generic.Answer(DevlinkEswitchRequest(family, asked), {Eswitch(kSwitchdev)});
  EXPECT_EQ(ReadDevlinkEswitch(generic, family, asked).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST_F(Devlink, CutAnswersAreRefused) {
  ExpectCutsAreRefused(Answered(generic_, DevlinkInfoRequest(family_, testnic_)).at(0), 4,
                       &DecodeDevlinkInfo);
  ExpectCutsAreRefused(Answered(generic_, DevlinkHealthRequest(family_)).at(0), 4,
                       &DecodeDevlinkHealth);
}

}  // namespace
}  // namespace roceready::netlink
