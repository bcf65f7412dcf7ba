// SPDX-License-Identifier: Apache-2.0
#include "controller/why/error_kind.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <regex>
#include <span>

namespace roceready::why {
namespace {

// Each error has one of these in its line, which is what nearly every line of a job lacks: only
// lines that have one are looked at closely. All that is compared here is in lower case.
constexpr std::array kAnchors = {
    std::string_view("err"),        std::string_view("fail"),     std::string_view("retry"),
    std::string_view("event"),      std::string_view("ibv_"),     std::string_view("synd 0x"),
    std::string_view("link"),       std::string_view("detect"),   std::string_view(" device"),
    std::string_view("memlock"),    std::string_view("allocate"), std::string_view("completion"),
    std::string_view("wc.status"),  std::string_view("local "),   std::string_view("remote "),
    std::string_view("request on ")};

constexpr bool HasAnchor(std::string_view text) {
  for (const std::string_view anchor : kAnchors) {
    if (text.find(anchor) != std::string_view::npos) return true;
  }
  return false;
}

struct Phrase {
  std::string_view text;
  ErrorKind kind;
};

// What the libraries say, the more special first; that of a status is ibv_wc_status_str(3)'s.
constexpr std::array kPhrases = {
    Phrase{"transport retry count", ErrorKind::kRetriesExceeded},
    Phrase{"ibv_wc_retry_exc_err", ErrorKind::kRetriesExceeded},
    Phrase{"rnr retry", ErrorKind::kReceiverNotReady},
    Phrase{"receive-no-ready retry count", ErrorKind::kReceiverNotReady},  // UCX
    Phrase{"ibv_wc_rnr_retry_exc_err", ErrorKind::kReceiverNotReady},
    Phrase{"remote access error", ErrorKind::kRemoteAccess},
    Phrase{"ibv_wc_rem_access_err", ErrorKind::kRemoteAccess},
    Phrase{"remote invalid request error", ErrorKind::kRemoteRequest},
    Phrase{"ibv_wc_rem_inv_req_err", ErrorKind::kRemoteRequest},
    Phrase{"remote operation error", ErrorKind::kRemoteOperation},
    Phrase{"ibv_wc_rem_op_err", ErrorKind::kRemoteOperation},
    Phrase{"local protection", ErrorKind::kLocalProtection},
    Phrase{"ibv_wc_loc_prot_err", ErrorKind::kLocalProtection},
    Phrase{"local access error", ErrorKind::kLocalProtection},
    Phrase{"ibv_wc_loc_access_err", ErrorKind::kLocalProtection},
    Phrase{"local length error", ErrorKind::kLocalLength},
    Phrase{"ibv_wc_loc_len_err", ErrorKind::kLocalLength},
    Phrase{"local qp operation error", ErrorKind::kLocalOperation},
    Phrase{"ibv_wc_loc_qp_op_err", ErrorKind::kLocalOperation},
    Phrase{"ibv_wc_fatal_err", ErrorKind::kDeviceFailed},
    Phrase{"rdma_cm_event_unreachable", ErrorKind::kConnectTimedOut},
    Phrase{"rdma_cm_event_addr_error", ErrorKind::kAddressUnresolved},
    Phrase{"rdma_cm_event_route_error", ErrorKind::kAddressUnresolved},
    Phrase{"rdma_cm_event_rejected", ErrorKind::kConnectRejected},
    Phrase{"rdma_cm_event_connect_error", ErrorKind::kConnectTimedOut},
    Phrase{"failed to modify qp", ErrorKind::kConnectTimedOut},                 // perftest
    Phrase{"no device found", ErrorKind::kNoDevice},                            // NCCL, perftest
    Phrase{"did not detect devices", ErrorKind::kNoDevice},                     // perftest
    Phrase{"unable to find the infiniband/roce device", ErrorKind::kNoDevice},  // perftest
    Phrase{"couldn't allocate mr", ErrorKind::kLockedMemory},                   // perftest
};

// Two things that stand in one line: what was called, and how it ended.
struct Call {
  std::string_view call, error;
  ErrorKind kind;
};
constexpr std::array kCalls = {
    Call{"ibv_reg_mr", "cannot allocate memory", ErrorKind::kLockedMemory},
    Call{"ibv_create_cq", "cannot allocate memory", ErrorKind::kLockedMemory},
    Call{"memlock", "limit", ErrorKind::kLockedMemory},
};

// How the calls end that give a queue pair the address of its peer: ibv_modify_qp to RTR (NCCL,
// UCX), ibv_create_ah (UCX). Newer NCCL has the number before the words, older only the words.
struct Errno {
  unsigned number;
  std::string_view words;
  ErrorKind kind;
};
constexpr std::array kConnectCalls = {std::string_view("ibv_modify_qp"),
                                      std::string_view("ibv_create_ah")};
constexpr std::array kConnectErrors = {
    Errno{110, "connection timed out", ErrorKind::kConnectTimedOut},
    Errno{113, "no route to host", ErrorKind::kConnectTimedOut},
    Errno{101, "network is unreachable", ErrorKind::kAddressUnresolved},
    Errno{22, "invalid argument", ErrorKind::kWrongGid},
    Errno{61, "no data available", ErrorKind::kWrongGid},
    Errno{19, "no such device", ErrorKind::kNoDevice},
};

// ibv_event_type_str(3); "transport error" is none of them. The side is told of a "local access
// violation work queue error" whose memory it was.
constexpr std::array kEvents = {
    Phrase{": port error", ErrorKind::kLinkDown},
    Phrase{"local access violation", ErrorKind::kRefusedAccess},
    Phrase{"invalid request local work queue", ErrorKind::kRefusedRequest},
    Phrase{"local work queue catastrophic", ErrorKind::kLocalOperation},
    Phrase{": cq error", ErrorKind::kLocalOperation},
    Phrase{"srq catastrophic", ErrorKind::kLocalOperation},
    Phrase{"local catastrophic error", ErrorKind::kDeviceFailed},
};

// UCX's name of an error before " on mlx5_0:1/RoCE", where it gives no number of it.
constexpr std::array kUcxWords = {
    Phrase{"remote access on ", ErrorKind::kRemoteAccess},
    Phrase{"remote operation on ", ErrorKind::kRemoteOperation},
    Phrase{"remote op on ", ErrorKind::kRemoteOperation},
    Phrase{"remote qp on ", ErrorKind::kRemoteOperation},
    Phrase{"invalid request on ", ErrorKind::kRemoteRequest},
    Phrase{"local qp operation on ", ErrorKind::kLocalOperation},
    Phrase{"local length on ", ErrorKind::kLocalLength},
    Phrase{"local access on ", ErrorKind::kLocalProtection},
};

constexpr std::array kCompletions = {std::string_view("completion"),
                                     std::string_view("failed status"),
                                     std::string_view("wc.status")};

static_assert(std::ranges::all_of(kCompletions, HasAnchor));
constexpr bool HaveAnchors(std::span<const Phrase> phrases) {
  return std::ranges::all_of(phrases, [](const Phrase& one) { return HasAnchor(one.text); });
}
static_assert(HaveAnchors(kPhrases) && HaveAnchors(kUcxWords));
static_assert(std::ranges::all_of(kCalls, [](const Call& one) { return HasAnchor(one.call); }));
static_assert(std::ranges::all_of(kConnectCalls, HasAnchor));

// enum ibv_wc_status of infiniband/verbs.h.
std::optional<ErrorKind> KindOfStatus(unsigned status) {
  switch (status) {
    case 1:
      return ErrorKind::kLocalLength;
    case 2:
      return ErrorKind::kLocalOperation;
    case 4:
    case 8:
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
    case 19:
      return ErrorKind::kDeviceFailed;
    default:
      return std::nullopt;
  }
}

// MLX5_CQE_SYNDROME_* of providers/mlx5/mlx5dv.h, which UCX gives as "synd".
std::optional<ErrorKind> KindOfSyndrome(unsigned syndrome) {
  switch (syndrome) {
    case 0x01:
      return ErrorKind::kLocalLength;
    case 0x02:
      return ErrorKind::kLocalOperation;
    case 0x04:
    case 0x11:
      return ErrorKind::kLocalProtection;
    case 0x12:
      return ErrorKind::kRemoteRequest;
    case 0x13:
      return ErrorKind::kRemoteAccess;
    case 0x14:
      return ErrorKind::kRemoteOperation;
    case 0x15:
      return ErrorKind::kRetriesExceeded;
    case 0x16:
      return ErrorKind::kReceiverNotReady;
    default:
      return std::nullopt;
  }
}

// A line in lower case.
class Line {
 public:
  explicit Line(std::string_view line) : text_(Lower(line)) {}

  bool Has(std::string_view words) const { return text_.find(words) != std::string::npos; }
  bool HasAnAnchor() const { return HasAnchor(text_); }
  bool Matches(const std::regex& pattern) const { return std::regex_search(text_, pattern); }

  template <typename Phrases>
  std::optional<ErrorKind> FirstOf(const Phrases& phrases) const {
    for (const Phrase& phrase : phrases) {
      if (Has(phrase.text)) return phrase.kind;
    }
    return std::nullopt;
  }

  // The first group of the pattern as a number.
  std::optional<unsigned> NumberIn(const std::regex& pattern, int base) const {
    std::smatch match;
    if (!std::regex_search(text_, match, pattern)) return std::nullopt;
    unsigned value = 0;
    const std::string digits = match[1];
    std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    return value;
  }

 private:
  const std::string text_;
};

std::optional<ErrorKind> KindOfEvent(const Line& line) {
  if (!line.Has("async") || !line.Has("event")) return std::nullopt;
  return line.FirstOf(kEvents);
}

std::optional<ErrorKind> KindOfCall(const Line& line) {
  for (const Call& call : kCalls) {
    if (line.Has(call.call) && line.Has(call.error)) return call.kind;
  }
  const auto is_in_line = [&](std::string_view words) { return line.Has(words); };
  if (std::ranges::none_of(kConnectCalls, is_in_line)) return std::nullopt;
  for (const Errno& error : kConnectErrors) {
    if (line.Has(error.words) || line.Has(fmt::format("failed with {} ", error.number))) {
      return error.kind;
    }
  }
  return std::nullopt;
}

std::optional<ErrorKind> KindOfUcx(const Line& line) {
  if (line.Has("synd 0x")) {
    static const std::regex pattern(R"(\(synd 0x([0-9a-f]{1,2})\b)");
    const std::optional<unsigned> syndrome = line.NumberIn(pattern, 16);
    if (syndrome) return KindOfSyndrome(*syndrome);
  }
  const std::optional<ErrorKind> kind = line.FirstOf(kUcxWords);
  if (!kind) return std::nullopt;
  // Words as common as these are an error only of a port of an RDMA device.
  static const std::regex port(R"( on [\w.-]+:\d+/(?:roce|ib)\b)");
  return line.Matches(port) ? kind : std::nullopt;
}

// "status=12", "status=IBV_WC_RETRY_EXC_ERR(12)", "with error 12, opcode 0", "Failed status 12:",
// "wc.status 12": completions of NCCL and perftest.
std::optional<ErrorKind> KindOfCompletion(const Line& line) {
  const auto is_in_line = [&](std::string_view words) { return line.Has(words); };
  if (std::ranges::none_of(kCompletions, is_in_line)) return std::nullopt;
  static const std::regex status(R"(\b(?:status[= ]\s*|with error )(?:[a-z_]+\()?(\d{1,2})\b)");
  const std::optional<unsigned> number = line.NumberIn(status, 10);
  return number ? KindOfStatus(*number) : std::nullopt;
}

bool IsLinkDown(const Line& line) {
  if (!line.Has("link") || !line.Has("down")) return false;
  // A driver's name and not the end of another word: "device eth0: link down" is nobody's.
  static const std::regex pattern(
      R"((?:^|[\s\]:])(?:mlx5_core|bnxt_en|ice|i40e|irdma|qede|hns3|ionic)[\s:].*\blink (?:is )?down)");
  return line.Matches(pattern);
}

bool LacksDevice(const Line& line) {
  if (!line.Has("ib device ")) return false;
  static const std::regex pattern(R"(\bib device (?:\S+ )?not found)");
  return line.Matches(pattern);
}

}  // namespace

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::optional<ErrorKind> KindOf(std::string_view text) {
  const Line line(text);
  if (!line.HasAnAnchor()) return std::nullopt;
  if (const auto kind = KindOfEvent(line)) return kind;
  if (const auto kind = line.FirstOf(kPhrases)) return kind;
  if (const auto kind = KindOfCall(line)) return kind;
  if (const auto kind = KindOfUcx(line)) return kind;
  if (const auto kind = KindOfCompletion(line)) return kind;
  if (IsLinkDown(line)) return ErrorKind::kLinkDown;
  return LacksDevice(line) ? std::optional(ErrorKind::kNoDevice) : std::nullopt;
}

}  // namespace roceready::why
