// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/facts_intake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

using std::chrono::seconds;

constexpr MonotonicTime kNow{seconds(1000)};

std::string KernelPart(const std::string& release) {
  v1::HostFacts facts;
  facts.mutable_kernel()->set_release(release);
  return facts.SerializeAsString();
}

class FactsIntakeTest : public testing::Test {
 protected:
  FactsIntakeTest() { record_.host = "h1"; }

  static v1::FactsChunk Chunk(std::uint64_t generation, std::uint64_t since,
                              const std::map<std::string, std::string>& parts) {
    v1::FactsChunk chunk;
    chunk.set_instance("i");
    chunk.set_generation(generation);
    chunk.set_since_generation(since);
    for (const auto& [key, bytes] : parts) {
      v1::FactsPart* part = chunk.add_parts();
      part->set_key(key);
      part->set_part(bytes);
      part->set_digest(Sha256(bytes));
      part->mutable_age()->set_seconds(4);
    }
    return chunk;
  }

  static v1::FactsChunk Last(v1::FactsChunk chunk,
                             const std::map<std::string, std::string>& all_parts) {
    FactParts parts;
    for (const auto& [key, bytes] : all_parts) parts[key] = MakePart(bytes);
    chunk.set_last(true);
    chunk.set_digest(DigestOfParts(parts));
    return chunk;
  }

  absl::StatusOr<FactsIntake::Step> Add(v1::FactsChunk chunk) {
    return intake_.Add(std::move(chunk), kNow, &record_);
  }

  void HoldGenerationOne() {
    const std::map<std::string, std::string> parts = {{"a", KernelPart("1")},
                                                      {"b", KernelPart("2")}};
    ASSERT_EQ(Add(Last(Chunk(1, 0, parts), parts)).value(), FactsIntake::Step::kApplied);
  }

  HostRecord record_;
  FactsIntake intake_;
};

TEST_F(FactsIntakeTest, AppliesNothingBeforeTheLastChunk) {
  ASSERT_EQ(Add(Chunk(1, 0, {{"a", KernelPart("1")}})).value(), FactsIntake::Step::kMore);
  EXPECT_TRUE(intake_.open());
  EXPECT_TRUE(record_.parts->empty());
  EXPECT_EQ(record_.generation, 0u);

  const auto step = Add(Last(Chunk(1, 0, {{"b", KernelPart("2")}}),
                             {{"a", KernelPart("1")}, {"b", KernelPart("2")}}));
  ASSERT_EQ(step.value(), FactsIntake::Step::kApplied);
  EXPECT_FALSE(intake_.open());
  EXPECT_EQ(record_.parts->size(), 2u);
  EXPECT_EQ(record_.parts->at("b").bytes, KernelPart("2"));
  EXPECT_EQ(record_.generation, 1u);
  EXPECT_EQ(record_.instance, "i");
  EXPECT_EQ(record_.OldestFact(kNow), seconds(4));
}

TEST_F(FactsIntakeTest, AppliesChangesToTheGenerationTheyAreOf) {
  HoldGenerationOne();
  v1::FactsChunk change = Chunk(2, 1, {{"b", KernelPart("3")}, {"c", KernelPart("4")}});
  change.add_removed_keys("a");
  ASSERT_EQ(Add(Last(change, {{"b", KernelPart("3")}, {"c", KernelPart("4")}})).value(),
            FactsIntake::Step::kApplied);
  EXPECT_EQ(record_.parts->size(), 2u);
  EXPECT_FALSE(record_.parts->contains("a"));
  EXPECT_FALSE(record_.read_at.contains("a"));
}

TEST_F(FactsIntakeTest, StartsOverWhenTheBaseIsNotWhatItHolds) {
  HoldGenerationOne();
  EXPECT_EQ(Add(Last(Chunk(3, 2, {{"b", KernelPart("3")}}),
                     {{"a", KernelPart("1")}, {"b", KernelPart("3")}}))
                .value(),
            FactsIntake::Step::kStartOver);
  v1::FactsChunk other_start = Chunk(2, 1, {{"b", KernelPart("3")}});
  other_start.set_instance("another start of the agent");
  EXPECT_EQ(Add(Last(other_start, {{"a", KernelPart("1")}, {"b", KernelPart("3")}})).value(),
            FactsIntake::Step::kStartOver);
  EXPECT_EQ(record_.generation, 1u);
  EXPECT_EQ(record_.parts->at("b").bytes, KernelPart("2"));
}

TEST_F(FactsIntakeTest, KeepsTheOldFactsWhenTheDigestDisagrees) {
  HoldGenerationOne();
  EXPECT_EQ(Add(Last(Chunk(2, 0, {{"a", KernelPart("9")}}), {{"a", KernelPart("8")}})).value(),
            FactsIntake::Step::kStartOver);
  EXPECT_EQ(record_.generation, 1u);
  EXPECT_EQ(record_.parts->size(), 2u);
}

TEST_F(FactsIntakeTest, KeepsPartsOfANewerAgentByteForByte) {
  // Field 2000 of HostFacts, which nobody knows yet: tag (2000 << 3 | 0), value 7.
  const std::string unknown("\x80\x7d\x07", 3);
  const std::map<std::string, std::string> parts = {{"of_tomorrow", unknown}};
  ASSERT_EQ(Add(Last(Chunk(1, 0, parts), parts)).value(), FactsIntake::Step::kApplied);
  EXPECT_EQ(record_.parts->at("of_tomorrow").bytes, unknown);
}

TEST_F(FactsIntakeTest, RefusesWhatBreaksTheProtocol) {
  auto refused = [&](v1::FactsChunk chunk) {
    FactsIntake intake;
    const auto step = intake.Add(std::move(chunk), kNow, &record_);
    return std::string(Message(step.status()));
  };
  EXPECT_THAT(refused(Chunk(1, 0, {{"a", "\xff\xff garbage"}})),
              testing::HasSubstr("not a HostFacts"));
  EXPECT_THAT(refused(Chunk(1, 0, {{"", KernelPart("1")}})), testing::HasSubstr("no key"));
  EXPECT_THAT(refused(Chunk(0, 0, {})), testing::HasSubstr("generation 0"));

  v1::FactsChunk wrong_digest = Chunk(1, 0, {{"a", KernelPart("1")}});
  wrong_digest.mutable_parts(0)->set_digest(Sha256("other"));
  EXPECT_THAT(refused(wrong_digest), testing::HasSubstr("does not have the digest"));

  v1::HostFacts facts;
  facts.mutable_identity()->set_host("h2");
  EXPECT_THAT(refused(Chunk(1, 0, {{"identity", facts.SerializeAsString()}})),
              testing::HasSubstr("speaks for 'h1'"));
}

TEST_F(FactsIntakeTest, RefusesTwoMessagesMixedTogether) {
  ASSERT_TRUE(Add(Chunk(1, 0, {{"a", KernelPart("1")}})).ok());
  EXPECT_EQ(Add(Chunk(2, 0, {{"b", KernelPart("1")}})).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(intake_.open());
}

TEST_F(FactsIntakeTest, RefusesAHostThatSendsWithoutEnd) {
  const std::string big = KernelPart(std::string(900'000, 'x'));
  absl::Status refused;
  int chunks = 0;
  while (refused.ok() && chunks < 100) {
    refused = Add(Chunk(1, 0, {{fmt::format("part {}", chunks++), big}})).status();
  }
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_LE(chunks, 20);
}

TEST_F(FactsIntakeTest, AnAgeFromTheFutureIsNow) {
  v1::FactsChunk chunk = Chunk(1, 0, {{"a", KernelPart("1")}});
  chunk.mutable_parts(0)->mutable_age()->set_seconds(-3600);
  ASSERT_TRUE(Add(Last(chunk, {{"a", KernelPart("1")}})).ok());
  EXPECT_EQ(record_.OldestFact(kNow), seconds(0));
}

TEST_F(FactsIntakeTest, ConfirmedFactsAreYoungAgainButForTheExceptions) {
  HoldGenerationOne();
  v1::FactsConfirmed confirmed;
  confirmed.set_generation(1);
  confirmed.mutable_age()->set_seconds(1);
  confirmed.add_except_keys("b");
  ConfirmFacts(confirmed, kNow + seconds(60), &record_);
  EXPECT_EQ(record_.read_at.at("a"), kNow + seconds(59));
  EXPECT_EQ(record_.read_at.at("b"), kNow - seconds(4));
  EXPECT_EQ(record_.OldestFact(kNow + seconds(60)), seconds(64));
}

}  // namespace
}  // namespace roceready
