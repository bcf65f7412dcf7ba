// SPDX-License-Identifier: Apache-2.0
#include "controller/why/error_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <regex>

#include "controller/why/writer.h"

namespace roceready::why {
namespace {

// What a line names, and the words without which it does not: looking for words is quick, matching
// a pattern is not.
struct Named {
  std::string_view words;
  std::regex pattern;  // the name is its first group
};

Named Pattern(std::string_view words, const char* pattern) { return {words, std::regex(pattern)}; }

const std::vector<Named>& LocalAddresses() {
  // NCCL's "localGid ::ffff:10.0.0.1" and "local GID index 3, local GID ::ffff:10.0.0.1".
  static const std::vector<Named> all = {Pattern(
      "local", R"(\blocal ?G[Ii][Dd]s?(?::\s+|\s*)([0-9a-fA-F]*:[0-9a-fA-F:.]*[0-9a-fA-F:]))")};
  return all;
}

const std::vector<Named>& RemoteAddresses() {
  static const std::vector<Named> all = {
      // NCCL's "remoteGids::ffff:10.0.0.2" and "remote GID ::ffff:10.0.0.2".
      Pattern("remote",
              R"(\bremote ?G[Ii][Dd]s?(?::\s+|\s*)([0-9a-fA-F]*:[0-9a-fA-F:.]*[0-9a-fA-F:]))"),
      // UCX's address handle.
      Pattern("dgid=", R"(\bdgid=([0-9a-fA-F:.]*[0-9a-fA-F:]))"),
      // NCCL's "peer 10.77.0.2<45678>", "peer fd00:77::2<45678>".
      Pattern("peer ", R"(\bpeer\s+([0-9a-fA-F]*:[0-9a-fA-F:.]*)(?:%[\w.-]+)?<\d+>)"),
      // "peer 10.77.0.2<45678>", "to 10.77.0.2:18515" of perftest.
      Pattern(".", R"((?:\bpeer|\bto|\bremote)\s+(\d{1,3}(?:\.\d{1,3}){3}))"),
  };
  return all;
}

const std::vector<Named>& Devices() {
  static const std::vector<Named> all = {
      Pattern("hca ", R"(\bhca ([A-Za-z][\w.-]*))"),
      Pattern("on dev ", R"(\bon dev ([A-Za-z][\w.-]*):\d)"),
      Pattern("NET/IB : ", R"(NET/IB : ([A-Za-z][\w.-]*):\d)"),
      // Of UCX, perftest.
      Pattern("/", R"(\bon ([A-Za-z][\w.-]*):\d+/(?:RoCE|IB)\b)"),
      Pattern("IB Async event on ", R"(IB Async event on ([A-Za-z][\w.-]*):)"),
      Pattern("IB device ", R"(\bIB device (\S+) not found)"),
      // As drivers and udev name them.
      Pattern("", R"(\b((?:mlx[45]|bnxt_re|irdma|roce[pP]|rxe|qedr|hns|erdma)_?(?:bond_?)?\d\w*))"),
      // Of the kernel: driver, PCI address, net device.
      Pattern(
          "ink",
          R"((?:^|[\s\]:])(?:mlx5_core|bnxt_en|ice|i40e|irdma|qede|hns3|ionic)\s+\S+\s+([A-Za-z][\w.-]*):)"),
  };
  return all;
}

void AddTo(std::vector<std::string>* names, const std::string& line,
           const std::vector<Named>& all) {
  for (const Named& one : all) {
    if (line.find(one.words) == std::string::npos) continue;
    for (std::sregex_iterator match(line.begin(), line.end(), one.pattern), end; match != end;
         ++match) {
      std::string name = (*match)[1];
      if (std::ranges::find(*names, name) == names->end()) names->push_back(std::move(name));
    }
  }
}

void ReadNumber(const std::string& line, const std::regex& pattern, std::optional<unsigned>* to) {
  std::smatch match;
  if (!std::regex_search(line, match, pattern)) return;
  const std::string digits = match[1];
  unsigned value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  *to = value;
}

}  // namespace

std::optional<ErrorLine> ReadErrorLine(std::string_view line) {
  const std::optional<ErrorKind> kind = KindOf(line);
  if (!kind) return std::nullopt;
  ErrorLine error{.kind = *kind, .host = HostOf(line)};
  AddNamed(line, &error);
  return error;
}

void AddNamed(std::string_view text, ErrorLine* error) {
  const std::string line(text);
  AddTo(&error->local_addresses, line, LocalAddresses());
  AddTo(&error->remote_addresses, line, RemoteAddresses());
  AddTo(&error->devices, line, Devices());
  static const std::regex gid_index(R"(\b(?:sgid_index|gid.?index)[= ]+(\d{1,3}))",
                                    std::regex::icase);
  static const std::regex traffic_class(R"(\btraffic_class[= ]+(\d{1,3}))");
  if (line.find("index") != std::string::npos) ReadNumber(line, gid_index, &error->gid_index);
  ReadNumber(line, traffic_class, &error->traffic_class);
}

std::optional<std::string> DecimalGid(std::string_view line) {
  static const std::regex pattern(R"(GID: ((\d{1,3}:){15}\d{1,3}))");
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_search(line.begin(), line.end(), match, pattern)) return std::nullopt;
  const std::string text = match[1];
  std::array<unsigned, 16> bytes{};
  std::size_t begin = 0;
  for (unsigned& byte : bytes) {
    const std::size_t at = std::min(text.find(':', begin), text.size());
    std::from_chars(text.data() + begin, text.data() + at, byte);
    begin = at + 1;
  }
  std::string gid;
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    gid += fmt::format("{}{:02x}{:02x}", i == 0 ? "" : ":", bytes[i] & 0xff, bytes[i + 1] & 0xff);
  }
  return gid;
}

}  // namespace roceready::why
