// SPDX-License-Identifier: Apache-2.0
// The places of all hosts. Used by one thread at a time: the worker's.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controller/whois/places.h"
#include "proto/contract/fact_parts.h"
#include "proto/process/clock.h"

namespace roceready::whois {

// A host as the fleet knows it.
struct KnownHost {
  std::string host;
  std::shared_ptr<const FactParts> parts;
  Duration fact_age{};
};

class PlaceBook {
 public:
  static constexpr int kMaxPlaces = 100;

  // The hosts that are known now; of those whose facts are the same as before nothing is made anew.
  void Update(const std::vector<KnownHost>& hosts);

  v1::WhoIsResponse Find(const What& what) const;

 private:
  struct Host {
    // Held, so that others cannot come to have its address.
    std::shared_ptr<const FactParts> parts;
    std::vector<v1::Place> places;
    Duration fact_age{};
  };
  // In the order of their names.
  std::vector<std::string> order_;
  std::map<std::string, Host> hosts_;
};

}  // namespace roceready::whois
