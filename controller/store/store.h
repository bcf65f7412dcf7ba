// SPDX-License-Identifier: Apache-2.0
// What a controller keeps over a restart, behind one interface: messages as serialized bytes, with
// the few columns that are searched for. What a store must do is said by
// tests/unit/controller/store/store_conformance_test.cc.
//
// Every call blocks until it is done, and what it has written is then on disk. One thread at a time
// calls a store. Errors say what to do:
//   kResourceExhausted  the disk is full          kUnavailable       somebody else holds it
//   kPermissionDenied   it may not be written     kDataLoss          what is there is damaged
//   kFailedPrecondition a newer version wrote it, or another program
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/audit/kept_audit.h"
#include "controller/store/kept_moment.h"
#include "roceready/v1/event.pb.h"
#include "roceready/v1/facts.pb.h"
#include "roceready/v1/fleet.pb.h"
#include "roceready/v1/switch.pb.h"

namespace roceready {

struct KeptSwitch {
  std::shared_ptr<const v1::SwitchFacts> facts;
  KeptMoment imported_at;
  std::string imported_by;
};

// When the facts of a host were read: what was read longest ago of them.
struct FactsRead {
  std::string host;
  KeptMoment read_at;
};

// The latest facts of a host.
struct KeptFacts {
  std::string host;
  KeptMoment read_at;
  v1::HostFacts facts;
};

// Which events are wanted.
struct EventQuery {
  // With a higher number, and seen at `since` or later.
  std::uint64_t after = 0;
  WallTime since{};
  // Of these hosts; null: of all. Called on the store's thread.
  std::function<bool(const std::string& host)> of_host;
  std::size_t at_most = 1000;
};

struct EventPage {
  // In the order of their numbers.
  std::vector<v1::Event> events;
  // Where to go on (EventQuery::after); 0: there are no more.
  std::uint64_t next_after = 0;
  // The last one that was looked at, wanted or not.
  std::uint64_t last = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  // --- audits, in the order of their ids ---
  // A new one. kAlreadyExists: its id is in use.
  virtual absl::Status BeginAudit(const AuditId& id, const v1::Audit& audit) = 0;
  // What a begun audit ended with, in place of what an earlier call has said. kNotFound: it was not
  // begun, or is forgotten.
  virtual absl::Status EndAudit(
      const AuditId& id, const v1::Audit& audit, const std::vector<v1::Finding>& findings,
      const std::vector<std::shared_ptr<const v1::ProbeResult>>& probe_results) = 0;
  // The last `count` that were begun, and whatever has not ended; newest first.
  virtual absl::StatusOr<std::vector<KeptAudit>> NewestAudits(std::size_t count) = 0;
  virtual absl::StatusOr<std::optional<KeptAudit>> FindAudit(const AuditId& id) = 0;
  // The newest that this caller made with this request id; an empty one is nobody's.
  virtual absl::StatusOr<std::optional<AuditId>> FindRequest(const std::string& caller,
                                                             const std::string& request_id) = 0;
  // Forgets ended audits, the oldest first, until no more than `kept` are left or `at_most` are
  // gone; so many it were. A long history goes in several calls, so that nobody waits for it.
  virtual absl::StatusOr<std::size_t> ForgetAudits(std::size_t kept, std::size_t at_most) = 0;

  // --- the configurations of switches, by their names ---
  // All of them or none, each in place of an older one.
  virtual absl::Status PutSwitches(const std::vector<KeptSwitch>& switches) = 0;
  // Nothing happens where there is none.
  virtual absl::Status RemoveSwitch(const std::string& name) = 0;
  virtual absl::StatusOr<std::vector<KeptSwitch>> Switches() = 0;

  // --- facts, by host ---
  // With what has changed in them since those that are kept, which is numbered here: both or none.
  virtual absl::Status PutFacts(const std::vector<KeptFacts>& facts,
                                const std::vector<v1::Event>& events) = 0;
  // The facts that are kept were read again and are the same. Nothing happens where there are none.
  virtual absl::Status ConfirmFacts(const std::vector<FactsRead>& read) = 0;
  virtual absl::Status ForgetFacts(const std::vector<std::string>& hosts) = 0;
  // Of all hosts, in the order of their names as bytes.
  virtual absl::StatusOr<std::vector<KeptFacts>> LatestFacts() = 0;

  // --- hosts that are set aside ---
  // All of them or none, each in place of an older one; those that have ended at `now` are
  // forgotten.
  virtual absl::Status PutMaintenance(const std::vector<v1::MaintenanceMark>& marks,
                                      WallTime now) = 0;
  // Nothing happens where there is none.
  virtual absl::Status RemoveMaintenance(const std::vector<std::string>& hosts) = 0;
  // In the order of the hosts' names as bytes.
  virtual absl::StatusOr<std::vector<v1::MaintenanceMark>> Maintenance() = 0;

  // --- events, by number ---
  // Looks at no more than kEventsLookedAt, so that nobody waits long: a page may have fewer than
  // are wanted, or none, and tell where to go on.
  static constexpr std::size_t kEventsLookedAt = 50'000;
  virtual absl::StatusOr<EventPage> Events(const EventQuery& query) = 0;
  // As ForgetAudits.
  virtual absl::StatusOr<std::size_t> ForgetEvents(std::size_t kept, std::size_t at_most) = 0;

  // Reads everything; kDataLoss says what is damaged.
  virtual absl::Status CheckIntegrity() = 0;
};

}  // namespace roceready
