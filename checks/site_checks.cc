// SPDX-License-Identifier: Apache-2.0
#include "checks/site_checks.h"

#include <algorithm>

#include "checks/host_view.h"
#include "checks/reading.h"
#include "checks/site_facts.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

bool AsksForPresence(const SiteRule& rule) {
  return rule.operation == SiteOperator::kExists || rule.operation == SiteOperator::kAbsent;
}

std::string TextOf(const SiteFact& fact) {
  std::vector<std::string> words;
  words.reserve(fact.values.size());
  for (const SiteValue& value : fact.values) words.push_back(ValueText(value));
  return JoinWords(words, ", ");
}

class Judgement {
 public:
  Judgement(const HostView& host, const SiteRule& rule, Judge& judge)
      : host_(host), rule_(rule), judge_(judge) {}

  void Of(const SiteFact& fact) {
    if (fact.kind == SiteFact::Kind::kNoElement) return judge_.NotApplicable();
    if (fact.kind == SiteFact::Kind::kUnreadList) return Unread(fact);
    AsksForPresence(rule_) ? Presence(fact) : Value(fact);
  }

 private:
  v1::Evidence EvidenceOf(const SiteFact& fact) const {
    return host_.EvidenceAt(fact.path, TextOf(fact), fact.reading);
  }

  Draft& Wanted(Draft& draft) {
    return draft.Expected(fmt::format("{} {}", rule_.FactName(), rule_.Wish()),
                          "site_checks." + rule_.check.id());
  }

  void Unread(const SiteFact& fact) { Wanted(judge_.Unread(fact.subject, EvidenceOf(fact))); }

  void Unknown(const SiteFact& fact, std::string reason) {
    Wanted(judge_.Unknown(fact.subject, std::move(reason))).RestsOn(EvidenceOf(fact));
  }

  void Fail(const SiteFact& fact, const std::string& is) {
    const std::string& fix = rule_.check.fix();
    Wanted(judge_.Fail(fact.subject))
        .Actual(fmt::format("{} {}: {}", rule_.FactName(), is, rule_.check.text()))
        .RestsOn(EvidenceOf(fact))
        .MendedBy(fix.empty() ? rule_.check.text() : fix);
  }

  void Presence(const SiteFact& fact) {
    // ABSENT is an answer too: there is none.
    const bool is_known = IsOk(fact.reading) || fact.reading.outcome() == v1::OUTCOME_ABSENT;
    if (!is_known) return Unread(fact);
    if (fact.is_present == (rule_.operation == SiteOperator::kExists)) return judge_.Pass();
    const std::string value = TextOf(fact);
    if (!fact.is_present) return Fail(fact, "is not there");
    Fail(fact, value.empty() ? "is there" : "is there: " + value);
  }

  void Value(const SiteFact& fact) {
    if (fact.is_elsewhere) return judge_.NotApplicable();
    if (!IsOk(fact.reading)) return Unread(fact);
    const bool is_list = rule_.path.back().IsWholeList();
    if (!is_list && fact.values.empty()) {
      return Unknown(fact, "the answer does not hold this value");
    }
    bool holds = false;
    for (const SiteValue& value : fact.values) {
      const std::optional<bool> one = Holds(rule_, value);
      if (!one) {
        return Unknown(fact, fmt::format("{} is no version that could be compared with {}",
                                         ValueText(value), ValueText(rule_.values.front())));
      }
      holds |= *one;
    }
    if (holds) return judge_.Pass();
    const std::string text = TextOf(fact);
    Fail(fact, "is " + (text.empty() ? "empty" : text));
  }

  const HostView& host_;
  const SiteRule& rule_;
  Judge& judge_;
};

}  // namespace

std::string HowOf(const SiteRule& rule) {
  return fmt::format(
      "{} must be {}. {}", rule.check.path(), rule.Wish(),
      AsksForPresence(rule)
          ? "Where reading did not tell whether it is there, this is UNKNOWN."
          : "Judged at each place that the path leads to; a value that was not read is UNKNOWN.");
}

Check CheckOf(const SiteRule& rule, std::string_view how) {
  return {.id = rule.id,
          .title = rule.check.text(),
          .scope = v1::SCOPE_HOST,
          .severity = rule.severity(),
          .on_unknown = rule.on_unknown(),
          .why = "The site's policy asks for it.",
          .how = how,
          .fix = rule.check.fix().empty() ? rule.check.text() : rule.check.fix(),
          .sources = {"the policy's site_checks"},
          .explained_by = {}};
}

void JudgeSiteRule(const HostView& host, const SiteRule& rule, Judge& judge) {
  Judgement judgement(host, rule, judge);
  for (const SiteFact& fact : FactsAt(host.facts(), host.host(), rule.path)) judgement.Of(fact);
}

}  // namespace roceready::checks
