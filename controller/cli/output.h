// SPDX-License-Identifier: Apache-2.0
// How commands print: results on stdout, everything else on stderr.
#pragma once

#include <absl/status/status.h>
#include <google/protobuf/message.h>

#include <string>

namespace roceready::cli {

// kJunit and kNagios are for audits alone, kCsv for probes.
enum class Format { kTable, kJson, kJunit, kNagios, kCsv };

struct OutputOptions {
  Format format = Format::kTable;
  bool color = false;     // stdout is a terminal and neither NO_COLOR nor TERM=dumb is set
  bool progress = false;  // stderr is a terminal
  int width = 80;
};

enum class ColorChoice { kAuto, kAlways, kNever };

OutputOptions DecideOutput(Format format, ColorChoice color);

// Original field names, enum values as names, two spaces of indentation, a newline at the end.
std::string ToJson(const google::protobuf::Message& message);

// To stdout. A reader that went away is not an error; a disk that is full is, and is said at once
// and by OutputLost() then.
void PrintResult(const std::string& text);
bool OutputLost();

// "roceready: TEXT" to stderr.
void PrintError(const absl::Status& error);

// For a command that has nothing else to print: the error to stderr and, where a program reads, in
// the form it expects to stdout, so that it always gets one. Returns the status to exit with, which
// is always 3 (UNKNOWN) for Nagios.
int Fail(const absl::Status& error, Format format);

}  // namespace roceready::cli
