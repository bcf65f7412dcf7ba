// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/output.h"

#include <fmt/core.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "checks/report/report.h"
#include "proto/contract/errors.h"
#include "proto/process/exit_status.h"

namespace roceready::cli {
namespace {

bool output_lost = false;

bool WantsColor(ColorChoice choice) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
  return isatty(STDOUT_FILENO) == 1;
}

google::protobuf::Struct ErrorDocument(const absl::Status& error, int exit_status) {
  google::protobuf::Struct document;
  auto& fields = *(*document.mutable_fields())["error"].mutable_struct_value()->mutable_fields();
  fields["code"].set_string_value(absl::StatusCodeToString(error.code()));
  fields["message"].set_string_value(std::string(Message(error)));
  fields["exit_status"].set_number_value(exit_status);
  return document;
}

}  // namespace

OutputOptions DecideOutput(Format format, ColorChoice color) {
  OutputOptions options;
  options.format = format;
  options.color = format == Format::kTable && WantsColor(color);
  options.progress = isatty(STDERR_FILENO) == 1;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    options.width = std::clamp<int>(size.ws_col, 60, 120);
  }
  return options;
}

std::string ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = false;
  std::string text;
  const auto status = google::protobuf::util::MessageToJsonString(message, &text, options);
  if (!status.ok()) {
    return fmt::format("{{\"error\": \"this message has no JSON form: {}\"}}\n",
                       std::string(status.message()));
  }
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

void PrintResult(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if ((written && std::fflush(stdout) == 0) || errno == EPIPE) return;
  output_lost = true;
  PrintError(ErrnoError(errno, "cannot write the result"));
}

bool OutputLost() { return output_lost; }

void PrintError(const absl::Status& error) {
  fmt::print(stderr, "roceready: {}\n", Message(error));
}

int Fail(const absl::Status& error, Format format) {
  const int exit_status = format == Format::kNagios
                              ? static_cast<int>(report::NagiosState::kUnknown)
                              : static_cast<int>(ExitStatusOfRequest(error));
  switch (format) {
    case Format::kTable:
    case Format::kCsv:
      break;
    case Format::kJson:
      PrintResult(ToJson(ErrorDocument(error, exit_status)));
      break;
    case Format::kJunit:
      PrintResult(report::RenderJunitError(Message(error)));
      break;
    case Format::kNagios:
      PrintResult(report::RenderNagiosError(Message(error)));
      break;
  }
  PrintError(error);
  return exit_status;
}

}  // namespace roceready::cli
