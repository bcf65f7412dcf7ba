// SPDX-License-Identifier: Apache-2.0
// HostFacts cut into parts: the unit in which facts travel, are stored and are compared.
//
// A part is the serialized bytes of a HostFacts with one thing set. Its key names that thing:
//
//   kernel                                   one field of HostFacts
//   net_devices/pci:0000:3b:00.0/0           a row: its key, plain values and readings
//   net_devices/pci:0000:3b:00.0/0/dcb       one group of that row (with the row's key in it)
//   rdma_devices/pci:0000:3b:00.0/ports/1/gid_table
//
// All of it follows from the descriptors: a repeated message whose elements have an `id` or
// `number` without presence is a list of rows, any other message field of a row (except a Reading)
// is a group. Rows must have distinct, non-empty ids. Inside a key an id's '%' is written "%25" and
// a
// '/' not followed by a digit "%2f", so that no two things share a key.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "roceready/v1/facts.pb.h"

namespace roceready {

struct PartBytes {
  std::string bytes;
  // SHA-256 of `bytes`, 32 raw octets.
  std::string digest;

  bool operator==(const PartBytes&) const = default;
};

// By key, sorted bytewise (the order the host digest is made in).
using FactParts = std::map<std::string, PartBytes, std::less<>>;

// What turns one set of parts into another.
struct PartChanges {
  std::vector<std::string> changed;  // new or different, sorted
  std::vector<std::string> removed;  // sorted

  bool empty() const { return changed.empty() && removed.empty(); }
  bool operator==(const PartChanges&) const = default;
};

// A row's id as it is written inside a key.
std::string EscapedRowId(std::string_view id);

// SHA-256 as 32 raw octets.
std::string Sha256(std::string_view bytes);

// A part from its bytes, with its digest.
PartBytes MakePart(std::string bytes);

// Cuts facts into parts. Equal facts give equal bytes (rows may come in any order).
// kInvalidArgument when two rows of a list have the same id, or a row has none.
absl::StatusOr<FactParts> SplitFacts(const v1::HostFacts& facts);

// Puts parts together: rows with equal ids are merged, so that AssembleFacts(SplitFacts(f)) == f up
// to the order of rows. `facts` is cleared first and may live on an arena. Fields of a newer agent
// are kept as unknown fields. kDataLoss names the first part that is not a HostFacts.
absl::Status AssembleFacts(const FactParts& parts, v1::HostFacts* facts);

// SHA-256 over (length of key as 4 little-endian octets, key, part digest) of all parts in order.
std::string DigestOfParts(const FactParts& parts);

PartChanges CompareParts(const FactParts& before, const FactParts& after);

// Lower-case hexadecimal, for logs and the API.
std::string HexOfDigest(std::string_view digest);

}  // namespace roceready
