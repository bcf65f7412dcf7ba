// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready::cli {
namespace {

std::variant<Arguments, int> Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "roceready");
  return ParseArguments(static_cast<int>(words.size()), words.data());
}

template <typename Options>
Options OptionsOf(const std::vector<const char*>& words) {
  const auto parsed = Parse(words);
  const Arguments* arguments = std::get_if<Arguments>(&parsed);
  if (arguments == nullptr || !std::holds_alternative<Options>(arguments->command)) {
    ADD_FAILURE() << "not understood";
    return {};
  }
  return std::get<Options>(arguments->command);
}

TEST(Arguments, FixTakesAnAuditAndTheNumberOfARootCause) {
  const auto whole = OptionsOf<FixOptions>({"fix", "a1-7"});
  EXPECT_EQ(whole.target.audit_id, "a1-7");
  EXPECT_EQ(whole.target.number, std::nullopt);
  EXPECT_EQ(whole.format, FixFormat::kShell);

  const auto one = OptionsOf<FixOptions>({"fix", "a1-7/12", "--format", "ansible"});
  EXPECT_EQ(one.target.audit_id, "a1-7");
  EXPECT_EQ(one.target.number, 12u);
  EXPECT_EQ(one.format, FixFormat::kAnsible);
}

TEST(Arguments, FixTakesSavedFactsInsteadOfAnAudit) {
  const auto saved = OptionsOf<FixOptions>({"fix", "--facts", "saved", "--policy", "lab.yaml",
                                            "--switch", "leaf1.json", "--cause", "3"});
  EXPECT_EQ(saved.facts_directory, "saved");
  EXPECT_EQ(saved.policy, "lab.yaml");
  EXPECT_EQ(saved.switch_files, std::vector<std::string>{"leaf1.json"});
  EXPECT_EQ(saved.target.number, 3u);

  for (const auto& words :
       std::vector<std::vector<const char*>>{{"fix"},
                                             {"fix", "a1-7", "--facts", "saved"},
                                             {"fix", "a1-7", "--policy", "lab.yaml"},
                                             {"fix", "a1-7", "--cause", "3"},
                                             {"fix", "--facts", "saved", "--cause", "0"},
                                             {"fix", "a1-7", "--format", "csh"}}) {
    const auto parsed = Parse(words);
    ASSERT_TRUE(std::holds_alternative<int>(parsed)) << words.back();
    EXPECT_EQ(std::get<int>(parsed), kExitUsage);
  }
}

TEST(Arguments, AVerdictIsAskedOfASetWithAges) {
  using std::chrono::milliseconds, std::chrono::minutes, std::chrono::hours;
  const auto plain = OptionsOf<VerdictOptions>({"verdict", "--hosts", "gpu[1-4]"});
  EXPECT_EQ(plain.question.hosts, "gpu[1-4]");
  EXPECT_EQ(plain.question.max_age, std::nullopt);
  EXPECT_EQ(plain.question.wait, std::nullopt);

  const auto full = OptionsOf<VerdictOptions>({"verdict", "--hosts", "*", "--policy", "lab",
                                               "--max-age", "90s", "--max-probe-age", "2h",
                                               "--wait", "500ms", "--fail-on", "degrades"});
  EXPECT_EQ(full.question.policy, "lab");
  EXPECT_EQ(full.question.max_age, milliseconds(90'000));
  EXPECT_EQ(full.question.max_probe_age, hours(2));
  EXPECT_EQ(full.question.wait, milliseconds(500));
  EXPECT_EQ(full.fail_on, FailOn::kDegrades);
}

TEST(Arguments, AGateHasATimeAndAnswersForWhatIsNotKnown) {
  const auto plain = OptionsOf<GateOptions>({"gate", "--hosts", "gpu1"});
  EXPECT_EQ(plain.timeout, std::chrono::seconds(2));
  EXPECT_TRUE(plain.allow_unavailable);
  EXPECT_FALSE(plain.allow_undetermined);

  const auto strict = OptionsOf<GateOptions>({"gate", "--hosts", "gpu1", "--timeout", "300ms",
                                              "--on-unavailable=deny", "--on-undetermined=allow"});
  EXPECT_EQ(strict.timeout, std::chrono::milliseconds(300));
  EXPECT_FALSE(strict.allow_unavailable);
  EXPECT_TRUE(strict.allow_undetermined);

  for (const auto& words : std::vector<std::vector<const char*>>{
           {"gate"},
           {"verdict"},
           {"gate", "--hosts", "gpu[1-"},
           {"gate", "--hosts", "gpu1", "--timeout", "2"},
           {"gate", "--hosts", "gpu1", "--timeout", "1h"},
           {"gate", "--hosts", "gpu1", "--on-unavailable", "perhaps"},
           {"verdict", "--hosts", "gpu1", "--wait", "0s"},
           {"verdict", "--hosts", "gpu1", "--max-age", "-1s"}}) {
    const auto parsed = Parse(words);
    ASSERT_TRUE(std::holds_alternative<int>(parsed)) << words.back();
    EXPECT_EQ(std::get<int>(parsed), kExitUsage);
  }
}

TEST(Arguments, ChangesAreAskedOfASpan) {
  using std::chrono::hours, std::chrono::milliseconds;
  const auto plain = OptionsOf<EventsOptions>({"events"});
  EXPECT_EQ(plain.hosts, "");
  EXPECT_EQ(plain.since, milliseconds(hours(24)));
  EXPECT_FALSE(plain.watch);
  const auto followed =
      OptionsOf<EventsOptions>({"events", "--hosts", "gpu[1-4]", "--since", "90m", "--watch"});
  EXPECT_EQ(followed.hosts, "gpu[1-4]");
  EXPECT_EQ(followed.since, milliseconds(hours(1)) + std::chrono::minutes(30));
  EXPECT_TRUE(followed.watch);
  const auto diff = OptionsOf<DiffOptions>({"diff", "gpu1", "--from", "48h", "--to", "24h"});
  EXPECT_EQ(diff.host, "gpu1");
  EXPECT_EQ(diff.from, milliseconds(hours(48)));
  EXPECT_EQ(diff.to, milliseconds(hours(24)));
  for (const auto& words :
       std::vector<std::vector<const char*>>{{"events", "--since", "0s"},
                                             {"events", "--hosts", "gpu[1-"},
                                             {"diff"},
                                             {"diff", "gpu1", "--from", "1h", "--to", "2h"}}) {
    const auto parsed = Parse(words);
    ASSERT_TRUE(std::holds_alternative<int>(parsed)) << words.back();
    EXPECT_EQ(std::get<int>(parsed), kExitUsage);
  }
}

TEST(Arguments, TheEnvironmentOfAJobGoesWithWhatIsJudged) {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {"audit", "--facts", "saved", "--job-env", "job.env"},
           {"audit", "--hosts", "gpu1", "--job-env", "job.env"}}) {
    EXPECT_EQ(OptionsOf<AuditOptions>(words).job_environment, "job.env");
  }
  EXPECT_EQ(OptionsOf<PolicyValidateOptions>({"policy", "validate", "p.yaml", "--job-env", "e"})
                .job_environment,
            "e");
  // That audit has been judged already: refused, not passed over.
  const auto parsed = Parse({"fix", "a1-7", "--job-env", "e"});
  ASSERT_TRUE(std::holds_alternative<int>(parsed));
  EXPECT_EQ(std::get<int>(parsed), kExitUsage);
}

TEST(Arguments, ExplainTakesAPolicyForItsOwnChecks) {
  const auto options =
      OptionsOf<ExplainCommandOptions>({"explain", "site.mtu", "--policy", "site.yaml"});
  EXPECT_EQ(options.check_id, "site.mtu");
  EXPECT_EQ(options.policy, "site.yaml");
}

TEST(Arguments, FormsOfAuditsAreForAuditsAlone) {
  for (const char* form : {"junit", "nagios"}) {
    EXPECT_TRUE(
        std::holds_alternative<Arguments>(Parse({"audit", "--hosts", "a", "--output", form})));
    EXPECT_FALSE(std::holds_alternative<Arguments>(Parse({"hosts", "--output", form})));
  }
  EXPECT_FALSE(std::holds_alternative<Arguments>(Parse({"fix", "a1-7", "--output", "json"})));
}

TEST(Arguments, AMistakeIsUnknownToNagiosAndUsageToOthers) {
  EXPECT_EQ(std::get<int>(Parse({"audit", "--output", "nagios", "--bogus"})), 3);
  EXPECT_EQ(std::get<int>(Parse({"audit", "--output=nagios"})), 3);
  EXPECT_EQ(std::get<int>(Parse({"audit", "--output", "junit"})), kExitUsage);
  EXPECT_EQ(std::get<int>(Parse({"audit", "--output", "table"})), kExitUsage);
}

TEST(FixTarget, IsRefusedWhereItNamesNoNumber) {
  for (const char* text : {"", "/2", "a1-7/", "a1-7/0", "a1-7/-1", "a1-7/2x", "a1-7/2/3",
                           "a1-7/99999999999999999999999"}) {
    EXPECT_FALSE(ParseFixTarget(text).ok()) << text;
  }
}

TEST(Arguments, AuditHasProbesAndAMinuteUnlessToldOtherwise) {
  const auto usual = OptionsOf<AuditOptions>({"audit", "--hosts", "gpu[1-4]"});
  EXPECT_EQ(usual.hosts, "gpu[1-4]");
  EXPECT_EQ(RequestOf(usual).plan().kind(), v1::PLAN_KIND_RING);
  EXPECT_EQ(usual.budget, std::chrono::seconds(60));
  EXPECT_EQ(usual.fail_on, FailOn::kBlocks);

  const auto quick = OptionsOf<AuditOptions>({"audit", "--hosts", "a", "--no-probes", "--budget",
                                              "90s", "--fail-on", "advice", "--policy", "lab"});
  EXPECT_EQ(RequestOf(quick).plan().kind(), v1::PLAN_KIND_NONE);
  EXPECT_EQ(quick.budget, std::chrono::seconds(90));
  EXPECT_EQ(quick.fail_on, FailOn::kAdvice);
  EXPECT_EQ(quick.policy, "lab");
  EXPECT_EQ(OptionsOf<AuditOptions>({"audit", "--hosts", "a", "--budget", "2m"}).budget,
            std::chrono::minutes(2));
}

TEST(Arguments, AuditTakesAPlan) {
  const auto sparse = OptionsOf<AuditOptions>({"audit", "--hosts", "a", "--plan", "sparse:8"});
  EXPECT_EQ(RequestOf(sparse).plan().kind(), v1::PLAN_KIND_SPARSE);
  EXPECT_EQ(RequestOf(sparse).plan().degree(), 8u);
  EXPECT_EQ(RequestOf(sparse).plan().budget().seconds(), 60);
  EXPECT_FALSE(RequestOf(sparse).plan().no_retest());
  const auto alone =
      OptionsOf<AuditOptions>({"audit", "--hosts", "a", "--no-retest", "--plan", "ring"});
  EXPECT_TRUE(RequestOf(alone).plan().no_retest());
  const auto none = OptionsOf<AuditOptions>({"audit", "--hosts", "a", "--plan", "none"});
  EXPECT_EQ(RequestOf(none).plan().kind(), v1::PLAN_KIND_NONE);

  for (const auto& words : std::vector<std::vector<const char*>>{
           {"audit", "--hosts", "a", "--plan", "spiral"},
           {"audit", "--hosts", "a", "--plan", "sparse"},
           {"audit", "--hosts", "a", "--plan", "full", "--no-probes"},
           {"audit", "--facts", "saved", "--plan", "ring"}}) {
    const auto parsed = Parse(words);
    ASSERT_TRUE(std::holds_alternative<int>(parsed)) << words.back();
    EXPECT_EQ(std::get<int>(parsed), kExitUsage) << words.back();
  }
}

TEST(Arguments, ABudgetWithoutAPlanLeavesTheChoiceToTheController) {
  const auto budget = OptionsOf<AuditOptions>({"audit", "--hosts", "a", "--budget", "5m"});
  EXPECT_EQ(RequestOf(budget).plan().kind(), v1::PLAN_KIND_UNSPECIFIED);
  EXPECT_EQ(RequestOf(budget).plan().budget().seconds(), 300);
  const auto ring =
      OptionsOf<AuditOptions>({"audit", "--hosts", "a", "--budget", "5m", "--plan", "ring"});
  EXPECT_EQ(RequestOf(ring).plan().kind(), v1::PLAN_KIND_RING);
}

TEST(Arguments, SwitchHasCommandsOfItsOwn) {
  const auto import = OptionsOf<SwitchImportOptions>(
      {"switch", "import", "a.json", "b.json", "--policy", "p.yaml", "--offline"});
  EXPECT_EQ(import.files, (std::vector<std::string>{"a.json", "b.json"}));
  EXPECT_EQ(import.policy, "p.yaml");
  EXPECT_TRUE(import.offline);
  OptionsOf<SwitchListOptions>({"switch", "list"});
  EXPECT_EQ(OptionsOf<SwitchRemoveOptions>({"switch", "remove", "leaf1"}).name, "leaf1");
  const auto audit = OptionsOf<AuditOptions>(
      {"audit", "--facts", "saved", "--switch", "a.json", "--switch", "b.json"});
  EXPECT_EQ(audit.switch_files, (std::vector<std::string>{"a.json", "b.json"}));
}

TEST(Arguments, StoredFactsAreAWhatIfOverTheControllers) {
  const auto stored = OptionsOf<AuditOptions>(
      {"audit", "--hosts", "gpu[1-8]", "--policy", "next.yaml", "--facts", "stored"});
  EXPECT_TRUE(stored.IsWhatIf());
  EXPECT_TRUE(stored.stored_facts);
  EXPECT_EQ(stored.facts_directory, "");
  EXPECT_EQ(stored.against, "");
  const auto folder = OptionsOf<AuditOptions>(
      {"audit", "--facts", "./stored", "--policy", "next.yaml", "--against", "now.yaml"});
  EXPECT_TRUE(folder.IsWhatIf());
  EXPECT_FALSE(folder.stored_facts);
  EXPECT_EQ(folder.facts_directory, "./stored");
  EXPECT_EQ(folder.against, "now.yaml");
  EXPECT_FALSE(OptionsOf<AuditOptions>({"audit", "--facts", "saved"}).IsWhatIf());
  EXPECT_FALSE(OptionsOf<AuditOptions>({"audit", "--hosts", "a"}).IsWhatIf());
}

TEST(Arguments, TheChecklistMayBeThatOfAPolicy) {
  EXPECT_EQ(OptionsOf<ChecksCommandOptions>({"checks"}).policy, "");
  EXPECT_EQ(OptionsOf<ChecksCommandOptions>({"checks", "--policy", "a.yaml"}).policy, "a.yaml");
}

TEST(Arguments, CommonFlagsMayFollowTheCommand) {
  const auto parsed = Parse({"hosts", "--output", "json", "--controller", "c:7472"});
  ASSERT_TRUE(std::holds_alternative<Arguments>(parsed));
  const Arguments& arguments = std::get<Arguments>(parsed);
  EXPECT_EQ(arguments.format, Format::kJson);
  EXPECT_EQ(arguments.controller, "c:7472");
}

TEST(Arguments, WrongUsageIs64) {
  for (const std::vector<const char*>& words : std::vector<std::vector<const char*>>{
           {},
           {"audit"},
           {"audit", "--hosts", "a", "--facts", "b"},
           {"audit", "--facts", "stored", "--policy", "b"},
           {"audit", "--hosts", "a", "--facts", "stored"},
           {"audit", "--hosts", "a", "--facts", "stored", "--policy", "b", "--switch", "c.json"},
           {"audit", "--hosts", "a", "--facts", "stored", "--policy", "b", "--job-env", "c.env"},
           {"audit", "--hosts", "a", "--facts", "stored", "--policy", "b", "--output", "junit"},
           {"audit", "--hosts", "a", "--against", "b.yaml"},
           {"audit", "--hosts", "a", "--budget", "soon"},
           {"audit", "--hosts", "a", "--budget", "60"},
           {"audit", "--hosts", "a", "--budget", "0s"},
           {"audit", "--hosts", "a", "--budget", "25h"},
           {"audit", "--hosts", "a", "--fail-on", "sight"},
           {"audit", "--hosts", "gpu[1-"},
           {"hosts", "a,,b"},
           {"hosts", "--output", "xml"},
           {"facts"},
           {"explain"},
           {"policy"},
           {"nonsense"}}) {
    const auto parsed = Parse(words);
    ASSERT_TRUE(std::holds_alternative<int>(parsed)) << (words.empty() ? "" : words.back());
    EXPECT_EQ(std::get<int>(parsed), 64);
  }
}

std::string ComplaintAbout(const std::vector<const char*>& words) {
  testing::internal::CaptureStderr();
  Parse(words);
  return testing::internal::GetCapturedStderr();
}

TEST(Arguments, MistakesAreNamedWithWhatWouldBeRight) {
  using testing::HasSubstr;
  EXPECT_THAT(ComplaintAbout({"audti"}),
              HasSubstr("found the command \"audti\", expected audit, "));
  EXPECT_THAT(ComplaintAbout({"audti"}), HasSubstr("did you mean audit?"));
  EXPECT_THAT(ComplaintAbout({"policy", "check"}),
              HasSubstr("found the command \"check\", expected validate"));
  EXPECT_THAT(ComplaintAbout({"policy"}), HasSubstr("A subcommand is required"));
  EXPECT_THAT(ComplaintAbout({"hosts", "--output", "xml"}),
              HasSubstr("--output: found \"xml\", expected table, json, csv, junit or nagios"));
  EXPECT_THAT(ComplaintAbout({"audit", "--hosts", "gpu[4-1]"}),
              HasSubstr("column 5: range 4-1 runs backwards, expected 1-4\ngpu[4-1]\n    ^\n"));
}

TEST(Arguments, ProbeTakesWhatAnAuditTakes) {
  const auto usual = OptionsOf<ProbeOptions>({"probe", "--hosts", "gpu[1-4]"});
  EXPECT_EQ(usual.audit.hosts, "gpu[1-4]");
  EXPECT_EQ(RequestOf(usual.audit).plan().kind(), v1::PLAN_KIND_RING);
  EXPECT_EQ(usual.matrix, std::nullopt);

  const auto full =
      OptionsOf<ProbeOptions>({"probe", "--hosts", "gpu[1-4]", "--plan", "full", "--budget", "2m",
                               "--policy", "lab", "--fail-on", "degrades", "--matrix", "loss"});
  EXPECT_EQ(RequestOf(full.audit).plan().kind(), v1::PLAN_KIND_FULL);
  EXPECT_EQ(full.audit.budget, std::chrono::minutes(2));
  EXPECT_EQ(full.audit.policy, "lab");
  EXPECT_EQ(full.audit.fail_on, FailOn::kDegrades);
  EXPECT_EQ(full.matrix, Measure::kLoss);
}

TEST(Arguments, ProbeShowsAndStopsAnAudit) {
  const auto show = OptionsOf<ProbeShowOptions>({"probe", "show", "a1-7", "--matrix", "latency"});
  EXPECT_EQ(show.audit_id, "a1-7");
  EXPECT_EQ(show.matrix, Measure::kLatency);
  const auto all = OptionsOf<ProbeStopOptions>({"probe", "stop", "--all", "--reason", "storm"});
  EXPECT_TRUE(all.all);
  EXPECT_EQ(all.audit_id, "");
  EXPECT_EQ(all.reason, "storm");
  const auto one = OptionsOf<ProbeStopOptions>({"probe", "stop", "a1-7"});
  EXPECT_FALSE(one.all);
  EXPECT_EQ(one.audit_id, "a1-7");
}

TEST(Arguments, ProbeSaysWhatItLacks) {
  using testing::HasSubstr;
  EXPECT_THAT(ComplaintAbout({"probe"}), HasSubstr("give the hosts that are to probe each other"));
  EXPECT_THAT(ComplaintAbout({"probe", "--hosts", "a", "--plan", "none"}),
              HasSubstr("use audit --no-probes"));
  EXPECT_THAT(ComplaintAbout({"probe", "--hosts", "a", "show", "a1-7"}),
              HasSubstr("speak of an audit"));
  EXPECT_THAT(ComplaintAbout({"probe", "stop"}),
              HasSubstr("give an audit, such as a1-7, or --all"));
  EXPECT_THAT(ComplaintAbout({"probe", "stop", "a1-7", "--all"}), HasSubstr("--all"));
  EXPECT_THAT(ComplaintAbout({"probe", "show", "a1-7", "--matrix", "jitter"}),
              HasSubstr("expected bandwidth, latency or loss"));
  EXPECT_THAT(ComplaintAbout({"probe", "shwo", "a1-7"}), HasSubstr("did you mean show?"));
}

TEST(Arguments, CsvIsAFormOfWhatWasMeasured) {
  using testing::HasSubstr;
  EXPECT_TRUE(
      std::holds_alternative<Arguments>(Parse({"probe", "--hosts", "a,b", "--output", "csv"})));
  EXPECT_TRUE(
      std::holds_alternative<Arguments>(Parse({"probe", "show", "a1-7", "--output", "csv"})));
  EXPECT_THAT(ComplaintAbout({"hosts", "--output", "csv"}), HasSubstr("csv is a form of probe"));
  EXPECT_THAT(ComplaintAbout({"probe", "stop", "--all", "--output", "csv"}),
              HasSubstr("csv is a form of probe"));
  EXPECT_THAT(ComplaintAbout({"probe", "--hosts", "a,b", "--output", "junit"}),
              HasSubstr("forms of audit alone"));
}

TEST(Arguments, AllHostsAreAStar) {
  EXPECT_EQ(OptionsOf<AuditOptions>({"audit", "--hosts", "*"}).hosts, "*");
}

TEST(Arguments, HelpAndVersionAreNoError) {
  EXPECT_EQ(std::get<int>(Parse({"--help"})), 0);
  EXPECT_EQ(std::get<int>(Parse({"audit", "--help"})), 0);
  EXPECT_EQ(std::get<int>(Parse({"--version"})), 0);
}

}  // namespace
}  // namespace roceready::cli
