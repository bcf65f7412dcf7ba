// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/facts_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready {
namespace {

using testing::HasSubstr;

TEST(FactsFile, ComesBackAsItWasPrinted) {
  v1::FactsFile file;
  file.set_format(std::string(kFactsFileFormat));
  file.mutable_facts()->mutable_identity()->set_host("gpu017");
  v1::Reading* scan = file.mutable_facts()->mutable_net_scan();
  scan->set_outcome(v1::OUTCOME_DENIED);
  scan->set_needs("CAP_NET_ADMIN");

  const auto json = PrintFactsFile(file);
  ASSERT_TRUE(json.ok());
  const auto again = ParseFactsFile(*json, "gpu017.json");

  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->SerializeAsString(), file.SerializeAsString());
}

TEST(FactsFile, TakesFieldsOfANewerAgent) {
  EXPECT_TRUE(ParseFactsFile(R"({"format": "roceready-facts/1", "new_thing": 7,
                                 "facts": {"identity": {"host": "a", "rack": "r1"}}})",
                             "a.json")
                  .ok());
}

TEST(FactsFile, PartsAreAsOldAsTheFileAndWhatItSays) {
  using std::chrono::seconds;
  const auto recorded = std::chrono::system_clock::time_point(seconds(1'700'000'000));
  v1::FactsFile file;
  file.mutable_facts()->mutable_identity()->set_host("gpu017");
  file.mutable_facts()->mutable_kernel()->set_release("6.1.0");
  EXPECT_THAT(AgesOfParts(file, recorded), testing::IsEmpty()) << "the file has no time";
  file.mutable_recorded_at()->set_seconds(1'700'000'000);
  v1::FactAge& kernel = *file.add_ages();
  kernel.set_key("kernel");
  kernel.mutable_age()->set_seconds(30);
  file.add_ages()->set_key("of a newer agent");
  EXPECT_THAT(AgesOfParts(file, recorded + seconds(60)),
              testing::UnorderedElementsAre(testing::Pair("identity", seconds(60)),
                                            testing::Pair("kernel", seconds(90))));
}

TEST(FactsFile, SaysWhichFileIsWrongAndHow) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "no facts file"},
      {"{", "no facts file"},
      {"[]", "no facts file"},
      {R"({"facts": {"identity": {"host": "a"}}})", "format is \"\""},
      {R"({"format": "roceready-facts/9", "facts": {"identity": {"host": "a"}}})",
       "roceready-facts/9"},
      {R"({"format": "roceready-facts/1", "facts": {}})", "names no host"},
  };
  for (const auto& [json, words] : cases) {
    const auto file = ParseFactsFile(json, "saved/x.json");
    ASSERT_FALSE(file.ok()) << json;
    EXPECT_THAT(std::string(file.status().message()), HasSubstr("saved/x.json"));
    EXPECT_THAT(std::string(file.status().message()), HasSubstr(words));
  }
}

}  // namespace
}  // namespace roceready
