// SPDX-License-Identifier: Apache-2.0
// The part of the google.api.http path language that we support: literal segments and whole-segment
// variables, "/v1/hosts/{host}/facts". Anything else (wildcards, "{name=**}", ":verb") is refused
// when the routes are built, so that it can't be half understood at run time.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roceready::rest {

class PathTemplate {
 public:
  static absl::StatusOr<PathTemplate> Parse(std::string_view text);

  // Variables by name, percent-decoded, if `path` (no query) has this shape. A variable takes one
  // non-empty segment.
  std::optional<std::map<std::string, std::string>> Match(std::string_view path) const;

  std::vector<std::string> Variables() const;
  // As it was parsed.
  const std::string& text() const { return text_; }

 private:
  struct Segment {
    bool variable = false;
    std::string text;
  };
  std::string text_;
  std::vector<Segment> segments_;
};

// "%2F" to "/"; nullopt for a broken escape or a NUL. `plus_is_space` is the rule of query strings.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space);

// "a=1&b=x%20y" in order; nullopt for a broken escape.
std::optional<std::vector<std::pair<std::string, std::string>>> ParseQuery(std::string_view query);

}  // namespace roceready::rest
