// SPDX-License-Identifier: Apache-2.0
// Commands that mend a finding, as a person or a script gives them to a POSIX shell. Names of
// devices come from hosts, and the kernel allows nearly any byte in them: they are quoted here.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace roceready::checks {

// The text as one word: unchanged where that is safe, else between single quotes.
std::string ShellWord(std::string_view text);

template <typename Value>
auto ShellArgument(const Value& value) {
  if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
    return ShellWord(value);
  } else {
    return value;
  }
}

// As fmt::format(), with every argument that is text as one word. A value that only a person can
// choose is written <NAME>, in capitals; see HoldsPlaceholder().
template <typename... Args>
std::string ShellCommand(
    fmt::format_string<decltype(ShellArgument(std::declval<const Args&>()))...> format,
    const Args&... args) {
  return fmt::format(format, ShellArgument(args)...);
}

// Whether a person has to put a value in before the command can be run. Text that ShellWord()
// quoted is none, whatever it holds.
bool HoldsPlaceholder(std::string_view command);

}  // namespace roceready::checks
