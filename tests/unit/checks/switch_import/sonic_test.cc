// SPDX-License-Identifier: Apache-2.0
#include "checks/switch_import/sonic.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/switch_import/json_tables.h"

namespace roceready::switches {
namespace {

using ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty;

// A configuration with these tables beside two ports.
std::string Config(std::string_view tables) {
  return fmt::format(R"({{
"PORT": {{
  "Ethernet0": {{"speed": "100000", "mtu": "9100", "admin_status": "up"}},
  "Ethernet4": {{"speed": "100000"}}
}}{}{}
}})",
                     tables.empty() ? "" : ",\n", tables);
}

v1::SwitchFacts Import(std::string_view tables) {
  ImportResult result = ImportSonic(Config(tables), "site/leaf1.json");
  EXPECT_EQ(yaml::Render(result.problems), "");
  return std::move(result.facts);
}

std::string ProblemsOfText(std::string_view text) {
  return yaml::Render(ImportSonic(text, "leaf1.json").problems);
}
std::string ProblemsOf(std::string_view tables) { return ProblemsOfText(Config(tables)); }

TEST(Sonic, LeavesAbsentWhatTheFileDoesNotHold) {
  const v1::SwitchFacts facts = Import("");

  EXPECT_EQ(facts.name(), "leaf1");
  EXPECT_FALSE(facts.complete()) << "there is no DEVICE_METADATA";
  const v1::SwitchPort& port = facts.ports(1);
  EXPECT_FALSE(port.has_mtu_bytes());
  EXPECT_FALSE(port.has_alias());
  EXPECT_FALSE(port.has_asymmetric_pfc());
  EXPECT_FALSE(port.admin_up());
  EXPECT_THAT(port.vendor_defaults(), ElementsAre("admin_up", "role"));
  EXPECT_EQ(port.qos().reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(port.pfc_watchdog().reading().outcome(), v1::OUTCOME_ABSENT);
}

TEST(Sonic, IsNamedAsItsHostAndAsic) {
  const v1::SwitchFacts facts =
      Import(R"("DEVICE_METADATA": {"localhost": {"hostname": "Leaf7", "asic_name": "Asic1"}})");
  EXPECT_EQ(facts.name(), "leaf7.asic1");
  EXPECT_EQ(facts.identity().hostname(), "Leaf7");
  EXPECT_TRUE(facts.complete());
}

TEST(Sonic, ReadsReferencesOfEitherForm) {
  for (const char* reference : {"AZURE", "[DSCP_TO_TC_MAP|AZURE]"}) {
    const v1::SwitchFacts facts =
        Import(fmt::format(R"("DSCP_TO_TC_MAP": {{"AZURE": {{"26": "3", "0": "1"}}}},
"PORT_QOS_MAP": {{"Ethernet0": {{"dscp_to_tc_map": "{}", "pfc_enable": "4,3"}}}})",
                           reference));
    const v1::SwitchPortQos& qos = facts.ports(0).qos();
    ASSERT_EQ(qos.maps_size(), 1);
    EXPECT_EQ(qos.maps(0).map_name(), "AZURE");
    EXPECT_THAT(qos.pfc().enabled_priorities(), ElementsAre(3, 4));
    EXPECT_EQ(facts.maps(0).entries(1).from(), 26u);
    EXPECT_EQ(facts.maps(0).entries(1).to(), 3u);
  }
}

TEST(Sonic, TellsAnEmptyListOfPrioritiesFromNone) {
  const v1::SwitchFacts facts = Import(
      R"("PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": ""}, "Ethernet4": {"tc_to_queue_map": "A"}})");
  EXPECT_EQ(facts.ports(0).qos().pfc().reading().outcome(), v1::OUTCOME_OK);
  EXPECT_THAT(facts.ports(0).qos().pfc().enabled_priorities(), IsEmpty());
  EXPECT_EQ(facts.ports(1).qos().pfc().reading().outcome(), v1::OUTCOME_ABSENT);
}

TEST(Sonic, SpreadsKeysOfSeveralPortsAndNumbers) {
  const v1::SwitchFacts facts = Import(
      R"("QUEUE": {"Ethernet0,Ethernet4|3-4": {"wred_profile": "[WRED_PROFILE|W]"}},
"BUFFER_PG": {"Ethernet4|3-4": {"profile": "NULL"}, "Ethernet4|0": {"profile": "lossy"}})");
  for (const v1::SwitchPort& port : facts.ports()) {
    ASSERT_EQ(port.queues_size(), 2);
    EXPECT_EQ(port.queues(1).queue(), 4u);
    EXPECT_EQ(port.queues(1).wred_profile(), "W");
  }
  ASSERT_EQ(facts.ports(1).priority_groups_size(), 3);
  EXPECT_FALSE(facts.ports(1).priority_groups(0).has_buffer_profile());
  EXPECT_EQ(facts.ports(1).priority_groups(2).buffer_profile(), "lossy");
}

TEST(Sonic, TakesOfAChassisOnlyItsOwnQueues) {
  const v1::SwitchFacts facts = Import(
      R"("DEVICE_METADATA": {"localhost": {"hostname": "card1", "asic_name": "asic0"}},
"QUEUE": {"card1|asic0|Ethernet0|3": {"wred_profile": "W"},
          "card2|asic0|Ethernet4|3": {"wred_profile": "W"}})");
  EXPECT_EQ(facts.ports(0).queues_size(), 1);
  EXPECT_EQ(facts.ports(1).queues_size(), 0);
}

TEST(Sonic, MarksDefaultsOfWredProfiles) {
  const v1::SwitchFacts facts = Import(
      R"("WRED_PROFILE": {"W": {"ecn": "ecn_green_red", "wred_green_enable": "true",
  "green_min_threshold": "1000", "ecn_green_min_threshold": "500", "red_drop_probability": "7"}})");
  const v1::WredProfile& profile = facts.wred_profiles(0);
  EXPECT_TRUE(profile.green().marks_ecn());
  EXPECT_FALSE(profile.yellow().marks_ecn());
  EXPECT_TRUE(profile.red().marks_ecn());
  EXPECT_EQ(profile.green().drop_min_bytes(), 1000u);
  EXPECT_EQ(profile.green().ecn_min_bytes(), 500u);
  EXPECT_FALSE(profile.green().has_drop_max_bytes());
  EXPECT_EQ(profile.red().drop_max_percent(), 7u);
  EXPECT_THAT(profile.vendor_defaults(), ElementsAre("green.drop_max_percent", "yellow.drops",
                                                     "yellow.drop_max_percent", "red.drops"));
}

TEST(Sonic, ReadsWatchdogBuffersAndSwitchWideMaps) {
  const v1::SwitchFacts facts = Import(
      R"("PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}, "Ethernet0": {"action": "forward"}},
"PORT_QOS_MAP": {"global": {"dscp_to_tc_map": "A"}, "Ethernet0": {"pfcwd_sw_enable": "3"}},
"BUFFER_POOL": {"p": {"size": "100", "xoff": "7", "type": "ingress", "mode": "dynamic"}},
"BUFFER_PROFILE": {"b": {"pool": "[BUFFER_POOL|p]", "xoff": "5", "dynamic_th": "-3"}})");
  EXPECT_EQ(facts.pfc_watchdog_poll_ms(), 200u);
  EXPECT_EQ(facts.ports(0).pfc_watchdog().action(), "forward");
  EXPECT_THAT(facts.ports(0).pfc_watchdog().watched().priorities(), ElementsAre(3));
  EXPECT_FALSE(facts.ports(1).pfc_watchdog().has_watched());
  EXPECT_EQ(facts.default_maps(0).map_name(), "A");
  EXPECT_EQ(facts.buffer_pools(0).xoff_bytes(), 7u);
  EXPECT_EQ(facts.buffer_profiles(0).pool(), "p");
  EXPECT_EQ(facts.buffer_profiles(0).dynamic_threshold_exponent(), -3);
}

TEST(Sonic, ReadsRowsThatStandByThemselves) {
  const v1::SwitchFacts facts = Import(R"("PFC_WD|Ethernet0": {"action": "drop"})");
  EXPECT_EQ(facts.ports(0).pfc_watchdog().action(), "drop");
}

TEST(Sonic, PassesOverTablesOfAnyShapeThatItDoesNotRead) {
  Import(R"("NTP": ["a", {"b": [1, 2.5, null, true]}], "ACL_RULE": {"x": "y"})");
}

TEST(Sonic, TellsAllMistakesAtOnceWithTheirPlaces) {
  EXPECT_EQ(
      ProblemsOf(R"("PORT_QOS_MAP": {
  "Ethernet0": {"pfc_enable": "3,8"},
  "Ethernet4": {"dscp_to_tc_map": "[TC_TO_QUEUE_MAP|A]", "pfc_enable": ["3"]}
},
"WRED_PROFILE": {"W": {"ecn": "ecn_most", "green_min_threshold": "-1"}},
"QUEUE": {"Ethernet0|x": {}})"),
      R"(leaf1.json:7:31: PORT_QOS_MAP|Ethernet0|pfc_enable: found "3,8", expected numbers from 0 to 7 with commas between
leaf1.json:8:35: PORT_QOS_MAP|Ethernet4|dscp_to_tc_map: found "[TC_TO_QUEUE_MAP|A]", expected a name or [DSCP_TO_TC_MAP|NAME]
leaf1.json:8:72: PORT_QOS_MAP|Ethernet4|pfc_enable: found "", expected numbers from 0 to 7 with commas between
leaf1.json:10:31: WRED_PROFILE|W|ecn: found "ecn_most", expected ecn_none, ecn_green, ecn_yellow, ecn_red, ecn_green_yellow, ecn_green_red, ecn_yellow_red or ecn_all
leaf1.json:10:66: WRED_PROFILE|W|green_min_threshold: found "-1", expected a number from 0 to 9223372036854775807
leaf1.json:11:11: QUEUE|Ethernet0|x: found "x", expected a number from 0 to 31, or two with a dash between)");
}

TEST(Sonic, RefusesTablesAndRowsThatAreNone) {
  EXPECT_THAT(ProblemsOf(R"("QUEUE": [])"), HasSubstr("leaf1.json:6:10: QUEUE: found no object"));
  EXPECT_THAT(ProblemsOf(R"("QUEUE": {"Ethernet0|3": "x"})"),
              HasSubstr("QUEUE|Ethernet0|3: found no object"));
  EXPECT_THAT(ProblemsOf(R"("QUEUE": {"Ethernet0|3": {"wred_profile": {}}})"),
              HasSubstr("wred_profile: found no text"));
}

TEST(Sonic, RefusesKeysGivenTwice) {
  EXPECT_THAT(ProblemsOf(R"("QUEUE": {"Ethernet0|3": {},
 "Ethernet0|3": {}})"),
              HasSubstr("leaf1.json:7:2: found \"Ethernet0|3\" again"));
  EXPECT_THAT(ProblemsOf(R"("QUEUE": {"Ethernet0|3": {}}, "QUEUE|Ethernet0|3": {})"),
              HasSubstr("QUEUE|Ethernet0|3: found this row again"));
  EXPECT_THAT(ProblemsOf(R"("PORT_QOS_MAP": {"Ethernet0": {}, "Ethernet4,Ethernet0": {}})"),
              HasSubstr("found a second row for Ethernet0"));
}

TEST(Sonic, RefusesWhatIsNoConfiguration) {
  EXPECT_THAT(ProblemsOfText(""), HasSubstr("leaf1.json:1:1: "));
  EXPECT_THAT(ProblemsOfText("{\"PORT\": {"), HasSubstr("unexpected end of input"));
  EXPECT_THAT(ProblemsOfText("[]"), HasSubstr("found no object"));
  EXPECT_THAT(ProblemsOfText("{}"), HasSubstr("PORT: found no port"));
  EXPECT_THAT(ProblemsOfText("{\"PORT\": {}}"), HasSubstr("PORT: found no port"));
  EXPECT_THAT(ProblemsOfText("{\"PORT\": 1e999}"), HasSubstr("leaf1.json:1:"));
  EXPECT_THAT(ProblemsOfText("{\"\xff\": 1}"), HasSubstr("leaf1.json:1:3: found a byte"));
}

TEST(Sonic, RefusesHostileFiles) {
  const std::string deep(100'000, '[');
  EXPECT_THAT(ProblemsOfText("{\"X\": " + deep), HasSubstr("nested more than"));
  EXPECT_THAT(ProblemsOfText(std::string(kMaxTextBytes + 1, ' ')), HasSubstr("expected at most"));
  std::string many = "{\"X\": [0";
  for (std::size_t i = 0; i < kMaxValues; ++i) many += ",0";
  EXPECT_THAT(ProblemsOfText(many + "]}"), HasSubstr("more than"));
  std::string ports = "{\"PORT\": {\"Ethernet0\": {}";
  for (int i = 1; i <= 2048; ++i) ports += fmt::format(",\"Ethernet{}\": {{}}", i);
  EXPECT_THAT(ProblemsOfText(ports + "}}"), HasSubstr("found 2049 ports, expected at most 2048"));
}

TEST(Sonic, RefusesWhatWouldMoveACursor) {
  EXPECT_THAT(ProblemsOf(R"("QUEUE": {"Ethernet0|3\u001b[2J": {}})"),
              HasSubstr("QUEUE: found a control character in a key"));
  EXPECT_THAT(ProblemsOf(R"("PFC_WD": {"Ethernet0": {"action": "drop\r"}})"),
              HasSubstr("PFC_WD|Ethernet0: found a control character"));
  // Tables that are not read may hold any text.
  Import(R"("BANNER_MESSAGE": {"global": {"motd": "Hello\n\u001b[1m"}})");
}

TEST(Sonic, FindsThePlacesOfValuesBehindEscapes) {
  EXPECT_THAT(ProblemsOfText(R"({"PORT": {"a\"b\\": {"mtu": "x\"\\\"y"}}})"),
              HasSubstr("leaf1.json:1:29: PORT|a\"b\\|mtu"));
  EXPECT_THAT(ProblemsOfText(R"({"PORT": {"e": {"mtu": 12 , "speed": 99999999}}})"),
              HasSubstr("leaf1.json:1:24: PORT|e|mtu: found \"12\""));
}

}  // namespace
}  // namespace roceready::switches
