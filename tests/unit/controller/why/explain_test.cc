// SPDX-License-Identifier: Apache-2.0
#include "controller/why/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready::why {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Findings = google::protobuf::RepeatedPtrField<v1::Finding>;

void Add(Findings& findings, const std::string& check_id, const std::string& host,
         const std::string& peer = "", v1::Severity severity = v1::SEVERITY_BLOCKS,
         v1::CheckStatus status = v1::CHECK_STATUS_FAIL) {
  v1::Finding& finding = *findings.Add();
  finding.set_check_id(check_id);
  finding.mutable_subject()->set_host(host);
  finding.mutable_subject()->set_peer_host(peer);
  finding.set_severity(severity);
  finding.set_status(status);
}

std::vector<std::string> IdsOf(const std::vector<const v1::Finding*>& causes) {
  std::vector<std::string> ids;
  for (const v1::Finding* cause : causes) ids.push_back(cause->check_id());
  return ids;
}

TEST(Explain, EachKindHasAMeaning) {
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::kLinkDown); ++kind) {
    const Meaning& meaning = MeaningOf(static_cast<ErrorKind>(kind));
    EXPECT_FALSE(meaning.name.empty());
    EXPECT_FALSE(meaning.text.empty());
    EXPECT_FALSE(meaning.checks.empty());
  }
}

TEST(Explain, OnlyWhatIsWrongAtTheEndsAndExplainsTheErrorIsACause) {
  Findings findings;
  Add(findings, "firmware.odd-one-out", "gpu1", "", v1::SEVERITY_ADVICE);
  Add(findings, "pfc.lossless-priority", "gpu2");
  Add(findings, "mtu.netdev", "gpu1");
  Add(findings, "mtu.netdev", "gpu3");            // another host
  Add(findings, "probe.write", "gpu1", "gpu3");   // another pair
  Add(findings, "limits.locked-memory", "gpu1");  // explains another error
  Add(findings, "port.active", "gpu2", "", v1::SEVERITY_BLOCKS, v1::CHECK_STATUS_UNKNOWN);
  EXPECT_THAT(IdsOf(CausesOf(ErrorKind::kRetriesExceeded, {"gpu1", "gpu2"}, findings)),
              ElementsAre("mtu.netdev", "pfc.lossless-priority", "firmware.odd-one-out"));
  EXPECT_THAT(IdsOf(CausesOf(ErrorKind::kLockedMemory, {"gpu1", "gpu2"}, findings)),
              ElementsAre("limits.locked-memory"));
  EXPECT_THAT(IdsOf(CausesOf(ErrorKind::kReceiverNotReady, {"gpu1", "gpu2"}, findings)), IsEmpty());
}

}  // namespace
}  // namespace roceready::why
