// SPDX-License-Identifier: Apache-2.0
// The checks that a site writes itself: what can be wrong with them, and where it is told.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "checks/policy/explain.h"
#include "checks/policy/loaded_policy.h"
#include "checks/policy/pattern.h"
#include "checks/policy/site_rule.h"

namespace roceready {
namespace {

PolicyResult Load(std::string_view body) {
  return LoadPolicy("name: x\n" + std::string(body), "p.yaml", {.known_check_ids = {"mtu.netdev"}});
}

// One check of which `rest` is everything but id and text.
PolicyResult LoadOne(std::string_view rest) {
  return Load(fmt::format("site_checks:\n- {{id: a, text: t, {}}}\n", rest));
}

std::string ErrorOf(std::string_view rest) {
  std::string text;
  for (const yaml::Problem& problem : LoadOne(rest).problems) {
    if (!text.empty()) text += '\n';
    text += problem.path.substr(problem.path.find('.') + 1) + ": " + problem.text;
  }
  return text;
}

struct Mistake {
  std::string rest;
  std::string error;

  friend void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.rest; }
};

class SiteCheckMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(SiteCheckMistake, IsToldWithAHint) {
  EXPECT_EQ(ErrorOf(GetParam().rest), GetParam().error);
  EXPECT_EQ(LoadOne(GetParam().rest).policy, nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    Path, SiteCheckMistake,
    ::testing::Values(
        Mistake{"path: 'net_device[].name', operator: equals, value: x",
                "path: found \"net_device\", expected a fact of a host (did you mean "
                "net_devices?)"},
        Mistake{"path: 'net_devices[].mtu.mtu_byte', operator: equals, value: 1",
                "path: found \"mtu_byte\", expected a fact of net_devices[].mtu (did you mean "
                "mtu_bytes?)"},
        Mistake{"path: 'net_devices[].mtu_bytes', operator: equals, value: 1",
                "path: found \"mtu_bytes\", expected a fact of net_devices[] (did you mean "
                "net_devices[].mtu.mtu_bytes?)"},
        Mistake{"path: 'net_devices[].mtu.zzz', operator: equals, value: 1",
                "path: found \"zzz\", expected a fact of net_devices[].mtu: mtu_bytes"},
        Mistake{"path: net_devices.mtu.mtu_bytes, operator: equals, value: 1",
                "path: found the list net_devices without brackets, expected net_devices[] for "
                "each of its elements, or net_devices[NAME]"},
        Mistake{"path: 'kernel[].release', operator: equals, value: x",
                "path: found [] behind kernel, which is no list, expected none"},
        Mistake{"path: kernel.release.major, operator: equals, value: x",
                "path: found \"major\" below kernel.release, which is a single value, expected "
                "nothing below"},
        Mistake{"path: 'net_devices[].mtu.reading.outcome', operator: equals, value: ok",
                "path: found \"reading\", which says how reading went, expected a fact: what was "
                "not read is UNKNOWN by itself"},
        Mistake{"path: 'net_devices[].dcb.pfc.enabled_priorities[3]', operator: equals, value: 1",
                "path: found a name in net_devices[].dcb.pfc.enabled_priorities[3], whose elements "
                "have none, expected net_devices[].dcb.pfc.enabled_priorities[]"},
        Mistake{"path: 'net_devices[', operator: exists",
                "path: found \"net_devices[\", expected names of facts with '.' between them and "
                "[] behind lists, such as net_devices[].mtu.mtu_bytes"},
        Mistake{"path: 'a..b', operator: exists",
                "path: found \"a..b\", expected names of facts with '.' between them and [] "
                "behind lists, such as net_devices[].mtu.mtu_bytes"},
        Mistake{"path: 'net_devices[]mtu', operator: exists",
                "path: found \"net_devices[]mtu\", expected names of facts with '.' between them "
                "and [] behind lists, such as net_devices[].mtu.mtu_bytes"}));

INSTANTIATE_TEST_SUITE_P(
    Operator, SiteCheckMistake,
    ::testing::Values(
        Mistake{"path: kernel.release, operator: equal, value: x",
                "operator: found \"equal\", expected equals, differs, at-least, at-most, one-of, "
                "contains, matches, exists or absent (did you mean equals?)"},
        Mistake{"path: 'net_devices[].mtu.mtu_bytes', operator: contains, value: 9000",
                "operator: found contains, expected equals, differs, at-least, at-most, one-of, "
                "exists or absent: mtu_bytes is a number"},
        Mistake{"path: 'net_devices[].link.carrier', operator: at-least, value: true",
                "operator: found at-least, expected equals, differs, exists or absent: carrier is "
                "true or false"},
        Mistake{"path: 'rdma_devices[].ports[].state', operator: matches, value: act*",
                "operator: found matches, expected equals, differs, one-of, exists or absent: "
                "state is a word"},
        Mistake{"path: 'net_devices[].dcb.pfc.enabled_priorities', operator: equals, value: 3",
                "operator: found equals, expected contains, exists or absent: enabled_priorities "
                "is a list (enabled_priorities[] in the path compares each element)"},
        Mistake{"path: 'net_devices[].mtu', operator: equals, value: 3",
                "operator: found equals, expected exists or absent: mtu is a group of facts"},
        Mistake{"path: schema_version, operator: exists",
                "operator: found exists of schema_version, which every answer holds, expected "
                "another operator"},
        Mistake{"path: 'net_devices[].dcb.pfc.enabled_priorities[]', operator: absent",
                "operator: found absent of each element, which is always there, expected the path "
                "to end in enabled_priorities without []"}));

INSTANTIATE_TEST_SUITE_P(
    Value, SiteCheckMistake,
    ::testing::Values(
        Mistake{"path: 'net_devices[].mtu.mtu_bytes', operator: equals, value: jumbo",
                "value: found \"jumbo\", expected a number from 0 to 4294967295, as mtu_bytes is"},
        Mistake{"path: 'net_devices[].mtu.mtu_bytes', operator: at-least, value: 4294967296",
                "value: found \"4294967296\", expected a number from 0 to 4294967295, as mtu_bytes "
                "is"},
        Mistake{"path: 'net_devices[].link.carrier', operator: equals, value: yes",
                "value: found \"yes\", expected true or false, as carrier is"},
        Mistake{"path: 'pci_functions[].numa_node', operator: equals, value: first",
                "value: found \"first\", expected a whole number, as numa_node is"},
        Mistake{"path: 'rdma_devices[].ports[].state', operator: equals, value: activ",
                "value: found \"activ\", expected down, init, armed, active or active-defer, as "
                "state is (did you mean active?)"},
        Mistake{"path: 'rdma_devices[].firmware', operator: at-least, value: newest",
                "value: found \"newest\", expected a version that begins with a number: at-least "
                "compares texts as versions"},
        Mistake{"path: 'net_devices[].driver.name', operator: matches, value: '^mlx5'",
                "value: found \"^mlx5\", expected a pattern of the whole text, in which only '*' "
                "has a meaning: any text"},
        Mistake{"path: kernel.release, operator: equals",
                "operator: found equals without value, expected value: what the fact is compared "
                "with"},
        Mistake{"path: kernel.release, operator: one-of",
                "operator: found one-of without values, expected values, a list"},
        Mistake{"path: kernel.release, operator: one-of, value: a",
                "value: found a value with one-of, expected values, a list"},
        Mistake{"path: kernel.release, operator: exists, value: a",
                "value: found a value with exists, expected none"},
        Mistake{"path: kernel.release, operator: equals, value: a, values: [b]",
                "values: found values with equals, expected value, or the operator one-of"},
        Mistake{"path: kernel.release, operator: one-of, values: [a, b, a]",
                "values[2]: found \"a\" again, expected each once"},
        Mistake{"path: 'net_devices[].mtu.mtu_bytes', operator: one-of, values: [1500, big]",
                "values[1]: found \"big\", expected a number from 0 to 4294967295, as mtu_bytes "
                "is"}));

TEST(SiteChecks, TellAllMistakesAtOnceEachAtItsPlace) {
  const PolicyResult result = Load(
      "site_checks:\n"
      "- id: mtu\n"
      "  path: net_devices[].mtu.mtu_bites\n"
      "  operator: equals\n"
      "  text: t\n"
      "- id: mtu\n"
      "  path: kernel.release\n"
      "  operator: at-least\n"
      "  value: six\n"
      "- {id: site.x, path: kernel.release, operator: exists, text: t, sevrity: blocks}\n"
      "checks: [{check_id: site.mtus, enabled: false}]\n");

  EXPECT_EQ(
      yaml::Render(result.problems),
      "p.yaml:4:9: site_checks[0].path: found \"mtu_bites\", expected a fact of "
      "net_devices[].mtu (did you mean mtu_bytes?)\n"
      "p.yaml:5:13: site_checks[0].operator: found equals without value, expected value: "
      "what the fact is compared with\n"
      "p.yaml:7:3: site_checks[1].text: found nothing, expected text: this key is required\n"
      "p.yaml:7:7: site_checks[1].id: found \"mtu\" again, expected each id once (first on "
      "line 3)\n"
      "p.yaml:10:10: site_checks[1].value: found \"six\", expected a version that begins "
      "with a number: at-least compares texts as versions\n"
      "p.yaml:11:8: site_checks[2].id: found \"site.x\", expected \"x\": \"site.\" is put "
      "before it\n"
      "p.yaml:11:65: site_checks[2]: found the unknown key \"sevrity\" (did you mean severity?)\n"
      "p.yaml:12:21: checks[0].check_id: found \"site.mtus\", expected the id of a check "
      "(did you mean site.mtu?)");
}

TEST(SiteChecks, AreKnownToSettingsAndWaivers) {
  const PolicyResult result = Load(
      "site_checks:\n"
      "- {id: mtu, path: 'net_devices[].mtu.mtu_bytes', operator: equals, value: 9000, text: t}\n"
      "checks: [{check_id: site.mtu, severity: blocks}]\n"
      "overrides: [{hosts: gpu1, checks: [{check_id: site.mtu, enabled: false}]}]\n"
      "waivers:\n"
      "- {id: W, check_id: site.mtu, hosts: gpu2, reason: r, until: 2099-01-01}\n");

  ASSERT_TRUE(result.ok()) << yaml::Render(result.problems);
  EXPECT_FALSE(result.policy->ForHost("gpu1").RuleOf("site.mtu").enabled);
  EXPECT_NE(result.policy->ForHost("gpu2").WaiverFor("site.mtu", {}), nullptr);
}

TEST(SiteChecks, AreNotAnotherPolicys) {
  EXPECT_FALSE(Load("checks: [{check_id: site.mtu, enabled: false}]\n").ok());
}

TEST(SiteChecks, AreExplainedWithTheirLine) {
  const PolicyResult result = Load(
      "site_checks:\n"
      "- {id: mtu, path: 'net_devices[ens*].mtu.mtu_bytes', operator: at-least, value: 9000,\n"
      "   severity: blocks, text: storage needs jumbo frames}\n"
      "- {id: gone, path: 'kernel.modules[nvidia_peermem]', operator: absent, text: t}\n");
  ASSERT_TRUE(result.ok()) << yaml::Render(result.problems);

  EXPECT_EQ(RenderPolicy(result.policy->ForHost("gpu1"), "gpu1"),
            "gpu1 under policy x\n"
            "  site_checks.mtu                net_devices[ens*].mtu.mtu_bytes at least 9000, "
            "blocks: storage needs jumbo frames   (p.yaml:3)\n"
            "  site_checks.gone               kernel.modules[nvidia_peermem] not there, advice: t "
            "  (p.yaml:5)\n");
}

TEST(SiteChecks, ChangeTheDigest) {
  const char* one =
      "site_checks:\n- {id: a, path: kernel.release, operator: equals, value: '6', text: t}\n";
  const char* other =
      "site_checks:\n- {id: a, path: kernel.release, operator: equals, value: '7', text: t}\n";
  EXPECT_NE(Load(one).policy->digest(), Load(other).policy->digest());
  EXPECT_NE(Load(one).policy->digest(), Load("").policy->digest());
}

std::optional<bool> Is(std::string_view rest, const SiteValue& value) {
  const PolicyResult result = LoadOne(rest);
  EXPECT_TRUE(result.ok()) << yaml::Render(result.problems);
  if (!result.ok()) return std::nullopt;
  return Holds(*result.policy->ForAllHosts().site_checks.front(), value);
}

TEST(SiteOperators, CompareNumbers) {
  const std::string path = "path: 'net_devices[].mtu.mtu_bytes', operator: ";
  const auto number = [](std::uint64_t value) { return SiteValue(value); };
  EXPECT_EQ(Is(path + "equals, value: 9000", number(9000)), true);
  EXPECT_EQ(Is(path + "equals, value: 0x2328", number(9000)), true);
  EXPECT_EQ(Is(path + "equals, value: 9000", number(1500)), false);
  EXPECT_EQ(Is(path + "differs, value: 1500", number(9000)), true);
  EXPECT_EQ(Is(path + "differs, value: 1500", number(1500)), false);
  EXPECT_EQ(Is(path + "at-least, value: 9000", number(9000)), true);
  // As numbers, not as texts.
  EXPECT_EQ(Is(path + "at-least, value: 9000", number(10000)), true);
  EXPECT_EQ(Is(path + "at-least, value: 9000", number(8999)), false);
  EXPECT_EQ(Is(path + "at-most, value: 9000", number(9000)), true);
  EXPECT_EQ(Is(path + "at-most, value: 9000", number(9001)), false);
  EXPECT_EQ(Is(path + "one-of, values: [1500, 9000]", number(9000)), true);
  EXPECT_EQ(Is(path + "one-of, values: [1500, 9000]", number(4200)), false);
  const std::string node = "path: 'pci_functions[].numa_node', operator: ";
  EXPECT_EQ(Is(node + "at-least, value: 0", SiteValue(std::int64_t{-1})), false);
  EXPECT_EQ(Is(node + "equals, value: -1", SiteValue(std::int64_t{-1})), true);
}

TEST(SiteOperators, CompareTruths) {
  const std::string path = "path: 'net_devices[].link.carrier', operator: ";
  EXPECT_EQ(Is(path + "equals, value: true", SiteValue(true)), true);
  EXPECT_EQ(Is(path + "equals, value: true", SiteValue(false)), false);
  EXPECT_EQ(Is(path + "differs, value: true", SiteValue(false)), true);
}

TEST(SiteOperators, CompareWords) {
  const std::string path = "path: 'rdma_devices[].ports[].state', operator: ";
  const auto word = [](const char* text) { return SiteValue(std::string(text)); };
  EXPECT_EQ(Is(path + "equals, value: active", word("active")), true);
  EXPECT_EQ(Is(path + "equals, value: active", word("active-defer")), false);
  EXPECT_EQ(Is(path + "differs, value: down", word("active")), true);
  EXPECT_EQ(Is(path + "one-of, values: [active, active-defer]", word("active-defer")), true);
  EXPECT_EQ(Is(path + "one-of, values: [active, active-defer]", word("down")), false);
}

TEST(SiteOperators, CompareTexts) {
  const std::string path = "path: kernel.release, operator: ";
  const auto text = [](const char* given) { return SiteValue(std::string(given)); };
  EXPECT_EQ(Is(path + "equals, value: 6.1.0-57", text("6.1.0-57")), true);
  EXPECT_EQ(Is(path + "equals, value: 6.1.0-57", text("6.1.0-58")), false);
  EXPECT_EQ(Is(path + "differs, value: 6.1.0-57", text("6.1.0-58")), true);
  EXPECT_EQ(Is(path + "one-of, values: ['6.1', '6.2']", text("6.2")), true);
  EXPECT_EQ(Is(path + "contains, value: -amd64", text("6.1.0-57-amd64")), true);
  EXPECT_EQ(Is(path + "contains, value: -arm64", text("6.1.0-57-amd64")), false);
  EXPECT_EQ(Is(path + "matches, value: '6.1.*-amd64'", text("6.1.0-57-amd64")), true);
  EXPECT_EQ(Is(path + "matches, value: '6.1.*'", text("6.10.0")), false);
  // As versions: 6.10 is newer than 6.9.
  EXPECT_EQ(Is(path + "at-least, value: '6.9'", text("6.10.3")), true);
  EXPECT_EQ(Is(path + "at-most, value: '6.9'", text("6.10.3")), false);
  EXPECT_EQ(Is(path + "at-least, value: '6.9'", text("unknown")), std::nullopt);
}

TEST(SiteOperators, CompareElementsOfLists) {
  const std::string path = "path: 'net_devices[].dcb.pfc.enabled_priorities";
  EXPECT_EQ(Is(path + "', operator: contains, value: 3", SiteValue(std::uint64_t{3})), true);
  EXPECT_EQ(Is(path + "', operator: contains, value: 3", SiteValue(std::uint64_t{4})), false);
  EXPECT_EQ(Is(path + "[]', operator: at-most, value: 4", SiteValue(std::uint64_t{5})), false);
  const std::string modes = "path: 'net_devices[].dcb.dcbx.modes', operator: contains, value: ";
  EXPECT_EQ(Is(modes + "host", SiteValue(std::string("host"))), true);
  // An element, not a part of one.
  EXPECT_EQ(Is(modes + "host", SiteValue(std::string("hosts"))), false);
}

TEST(MatchesPattern, KnowsStarsAlone) {
  EXPECT_TRUE(MatchesPattern("", ""));
  EXPECT_TRUE(MatchesPattern("*", ""));
  EXPECT_TRUE(MatchesPattern("ens*np*", "ens7f0np0"));
  EXPECT_FALSE(MatchesPattern("ens*np", "ens7f0np0"));
  EXPECT_FALSE(MatchesPattern("ens?", "ens1"));
  // Takes no longer than pattern times text.
  EXPECT_FALSE(MatchesPattern(fmt::format("{:*<200}b", ""), std::string(20000, 'a')));
}

}  // namespace
}  // namespace roceready
