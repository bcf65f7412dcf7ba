// SPDX-License-Identifier: Apache-2.0
// Kinds of options that several commands have. For the files that know CLI11.
#pragma once

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "proto/process/exit_status.h"
#include "proto/yaml/problem.h"

namespace roceready::cli {

template <typename Value>
using Choices = std::vector<std::pair<std::string, Value>>;

// An option that takes one of a few words.
template <typename Value>
void AddChoice(CLI::App& app, const std::string& flag, Value& target, const Choices<Value>& choices,
               const std::string& description) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& [word, value] : choices) words.push_back(word);
  app.add_option_function<std::string>(
         flag,
         [flag, words, choices, &target](const std::string& given) {
           for (const auto& [word, value] : choices) {
             if (word == given) target = value;
           }
           if (std::find(words.begin(), words.end(), given) == words.end()) {
             throw CLI::ValidationError(flag, fmt::format("found {}, expected {}",
                                                          yaml::Quote(given), yaml::OneOf(words)));
           }
         },
         description + ": " + yaml::OneOf(words))
      ->type_name("WORD");
}

// A host list is wrong wherever it is sent: it is refused here, with its place shown.
CLI::Option* AddHosts(CLI::App& app, const std::string& name, std::string& target,
                      const std::string& description);

struct DurationRange {
  std::chrono::milliseconds least, most;
  std::string in_words;  // "from 100ms to 24h, such as 60s or 5m"
};
CLI::Option* AddDuration(CLI::App& app, const std::string& flag, const DurationRange& range,
                         const std::function<void(std::chrono::milliseconds)>& take,
                         const std::string& description);

void AddFailOn(CLI::App& app, FailOn& fail_on);

}  // namespace roceready::cli
