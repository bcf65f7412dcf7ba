// SPDX-License-Identifier: Apache-2.0
#include "controller/why/error_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <regex>

namespace roceready::why {
namespace {

// A longer line is cut: what it names stands at its beginning.
constexpr std::size_t kMaxLine = 2000;

struct Phrase {
  std::string_view text;
  ErrorKind kind;
};

// What the libraries and the kernel say, the more special first. Compared without regard to case.
constexpr std::array kPhrases = {
    Phrase{"transport retry count", ErrorKind::kRetriesExceeded},  // UCX
    Phrase{"transport retry counter", ErrorKind::kRetriesExceeded},
    Phrase{"ibv_wc_retry_exc_err", ErrorKind::kRetriesExceeded},
    Phrase{"rnr retry", ErrorKind::kReceiverNotReady},
    Phrase{"ibv_wc_rnr_retry_exc_err", ErrorKind::kReceiverNotReady},
    Phrase{"remote access error", ErrorKind::kRemoteAccess},
    Phrase{"ibv_wc_rem_access_err", ErrorKind::kRemoteAccess},
    Phrase{"remote invalid request", ErrorKind::kRemoteRequest},
    Phrase{"ibv_wc_rem_inv_req_err", ErrorKind::kRemoteRequest},
    Phrase{"remote operation error", ErrorKind::kRemoteOperation},
    Phrase{"ibv_wc_rem_op_err", ErrorKind::kRemoteOperation},
    Phrase{"local protection", ErrorKind::kLocalProtection},
    Phrase{"ibv_wc_loc_prot_err", ErrorKind::kLocalProtection},
    Phrase{"rdma_cm_event_unreachable", ErrorKind::kConnectTimedOut},
    Phrase{"rdma_cm_event_addr_error", ErrorKind::kAddressUnresolved},
    Phrase{"rdma_cm_event_route_error", ErrorKind::kAddressUnresolved},
    Phrase{"rdma_cm_event_rejected", ErrorKind::kConnectRejected},
    Phrase{"rdma_cm_event_connect_error", ErrorKind::kConnectTimedOut},
    Phrase{"failed to modify qp", ErrorKind::kConnectTimedOut},  // perftest
    Phrase{"no device found", ErrorKind::kNoDevice},             // NCCL, perftest
    Phrase{"ib device not found", ErrorKind::kNoDevice},
    Phrase{"couldn't allocate mr", ErrorKind::kLockedMemory},  // perftest
};

// Two things that stand in one line: what was called, and how it ended.
struct Call {
  std::string_view call, error;
  ErrorKind kind;
};
constexpr std::array kCalls = {
    Call{"ibv_modify_qp", "connection timed out", ErrorKind::kConnectTimedOut},
    Call{"ibv_modify_qp", "no route to host", ErrorKind::kConnectTimedOut},
    Call{"ibv_modify_qp", "no such device", ErrorKind::kNoDevice},
    Call{"ibv_reg_mr", "cannot allocate memory", ErrorKind::kLockedMemory},
    Call{"ibv_create_cq", "cannot allocate memory", ErrorKind::kLockedMemory},
    Call{"memlock", "limit", ErrorKind::kLockedMemory},
};

// enum ibv_wc_status of infiniband/verbs.h.
std::optional<ErrorKind> KindOfStatus(unsigned status) {
  switch (status) {
    case 4:
      return ErrorKind::kLocalProtection;
    case 9:
      return ErrorKind::kRemoteRequest;
    case 10:
      return ErrorKind::kRemoteAccess;
    case 11:
      return ErrorKind::kRemoteOperation;
    case 12:
      return ErrorKind::kRetriesExceeded;
    case 13:
      return ErrorKind::kReceiverNotReady;
    default:
      return std::nullopt;
  }
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

std::optional<unsigned> NumberIn(const std::string& text, const std::regex& pattern) {
  std::smatch match;
  if (!std::regex_search(text, match, pattern)) return std::nullopt;
  unsigned value = 0;
  const std::string digits = match[1];
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::vector<std::string> AllIn(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    std::string one = (*match)[1];
    if (std::ranges::find(found, one) == found.end()) found.push_back(std::move(one));
  }
  return found;
}

// "status=12", "Failed status 12:", "wc.status 12": completions of NCCL and perftest.
const std::regex& StatusPattern() {
  static const std::regex pattern(R"(\bstatus[= ]\s*(\d{1,2})\b)", std::regex::icase);
  return pattern;
}

std::optional<ErrorKind> KindOf(const std::string& line) {
  const std::string lower = Lower(line);
  const auto has = [&](std::string_view words) { return lower.find(words) != std::string::npos; };
  for (const Phrase& phrase : kPhrases) {
    if (has(phrase.text)) return phrase.kind;
  }
  for (const Call& call : kCalls) {
    if (has(call.call) && has(call.error)) return call.kind;
  }
  static const std::regex link_down(R"((mlx5_core|bnxt_en|ice|irdma|qede)\b.*\blink (is )?down)",
                                    std::regex::icase);
  if (std::regex_search(line, link_down)) return ErrorKind::kLinkDown;
  const bool completion = has("completion") || has("failed status") || has("wc.status");
  if (!completion) return std::nullopt;
  const std::optional<unsigned> status = NumberIn(line, StatusPattern());
  return status ? KindOfStatus(*status) : std::nullopt;
}

// The first word of a line of NCCL ("gpu017:1234:1250 [0] NCCL WARN") and of UCX
// ("[gpu017:1234 :0:1234] ib_mlx5_log.c:171").
std::string HostOf(const std::string& line) {
  static const std::regex nccl(R"(^\s*([A-Za-z0-9][A-Za-z0-9.-]*):\d+:\d+ \[)");
  static const std::regex ucx(R"(\[([A-Za-z0-9][A-Za-z0-9.-]*):\d+\s*:)");
  std::smatch match;
  if (std::regex_search(line, match, nccl) || std::regex_search(line, match, ucx)) {
    return Lower(match[1].str().substr(0, match[1].str().find('.')));
  }
  return "";
}

// perftest writes a GID as sixteen decimal numbers: ":00:00:...:255:255:10:77:00:01".
std::vector<std::string> DecimalGids(const std::string& line) {
  static const std::regex pattern(R"(GID: ((\d{1,3}:){15}\d{1,3}))");
  std::vector<std::string> gids;
  for (const std::string& text : AllIn(line, pattern)) {
    std::array<unsigned, 16> bytes{};
    std::size_t at = 0, begin = 0;
    for (unsigned& byte : bytes) {
      at = std::min(text.find(':', begin), text.size());
      std::from_chars(text.data() + begin, text.data() + at, byte);
      begin = at + 1;
    }
    std::string gid;
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      gid += fmt::format("{}{:02x}{:02x}", i == 0 ? "" : ":", bytes[i] & 0xff, bytes[i + 1] & 0xff);
    }
    gids.push_back(std::move(gid));
  }
  return gids;
}

void Append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const std::string& one : from) {
    if (std::ranges::find(to, one) == to.end()) to.push_back(one);
  }
}

void ReadAddresses(const std::string& line, ErrorLine* error) {
  // NCCL writes "localGid ::ffff:10.0.0.1 remoteGids::ffff:10.0.0.2".
  static const std::regex local(R"(localGids?(?::\s+|\s*)([0-9a-fA-F:.]+))");
  static const std::regex remote(R"(remoteGids?(?::\s+|\s*)([0-9a-fA-F:.]+))");
  static const std::regex dgid(R"(\bdgid=([0-9a-fA-F:.]+))");
  // "peer 10.77.0.2<45678>" of NCCL, "to 10.77.0.2:18515" of perftest.
  static const std::regex peer(R"((?:\bpeer|\bto|\bremote)\s+(\d{1,3}(?:\.\d{1,3}){3}))");
  Append(error->local_addresses, AllIn(line, local));
  Append(error->remote_addresses, AllIn(line, remote));
  Append(error->remote_addresses, AllIn(line, dgid));
  Append(error->remote_addresses, AllIn(line, peer));
  Append(Lower(line).find("local") != std::string::npos ? error->local_addresses
                                                        : error->remote_addresses,
         DecimalGids(line));
}

void ReadDevices(const std::string& line, ErrorLine* error) {
  static const std::regex rdma(
      R"(\b((?:mlx[45]_|bnxt_re|irdma|rocep|rxe|qedr|hns_|erdma_)[A-Za-z0-9_]*))");
  static const std::regex net(
      R"((?:mlx5_core|bnxt_en|ice|irdma|qede)\s+\S+\s+([A-Za-z][A-Za-z0-9_.-]*):)");
  Append(error->devices, AllIn(line, rdma));
  Append(error->devices, AllIn(line, net));
  std::erase(error->devices, "mlx5_core");
  static const std::regex gid_index(R"(\b(?:sgid_index|gid.?index)[= ]+(\d{1,3}))",
                                    std::regex::icase);
  static const std::regex traffic_class(R"(\btraffic_class[= ]+(\d{1,3}))");
  error->gid_index = NumberIn(line, gid_index);
  error->traffic_class = NumberIn(line, traffic_class);
}

}  // namespace

std::vector<ErrorLine> ReadErrorLines(std::string_view log) {
  std::vector<ErrorLine> errors;
  for (std::size_t number = 1; !log.empty(); ++number) {
    const std::string_view whole = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(whole.size() + 1, log.size()));
    const std::string line(whole.substr(0, kMaxLine));
    const std::optional<ErrorKind> kind = KindOf(line);
    if (!kind) continue;
    ErrorLine& error = errors.emplace_back();
    error.number = number;
    error.text = line;
    error.kind = *kind;
    error.host = HostOf(line);
    ReadAddresses(line, &error);
    ReadDevices(line, &error);
  }
  return errors;
}

}  // namespace roceready::why
