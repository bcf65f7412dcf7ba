// SPDX-License-Identifier: Apache-2.0
// Contradictions in what is wanted of switches.
#include <fmt/core.h>

#include <set>

#include "checks/policy/validate.h"

namespace roceready {
namespace {

void ReviewBounds(const std::string& path, bool has_from, std::uint64_t from, bool has_to,
                  std::uint64_t to, PolicyReview& review) {
  if (has_from && has_to && from > to) {
    review.Problem(path,
                   fmt::format("found {}, expected no more than the upper bound {}", from, to));
  }
}

void ReviewBand(const v1::EcnBand& band, const std::string& path, PolicyReview& review) {
  ReviewBounds(path + ".min_threshold_from_bytes", band.has_min_threshold_from_bytes(),
               band.min_threshold_from_bytes(), band.has_min_threshold_to_bytes(),
               band.min_threshold_to_bytes(), review);
  ReviewBounds(path + ".max_threshold_from_bytes", band.has_max_threshold_from_bytes(),
               band.max_threshold_from_bytes(), band.has_max_threshold_to_bytes(),
               band.max_threshold_to_bytes(), review);
  ReviewBounds(path + ".probability_from_percent", band.has_probability_from_percent(),
               band.probability_from_percent(), band.has_probability_to_percent(),
               band.probability_to_percent(), review);
  if (band.has_max_threshold_to_bytes() && band.has_min_threshold_from_bytes() &&
      band.max_threshold_to_bytes() < band.min_threshold_from_bytes()) {
    review.Problem(path + ".max_threshold_to_bytes",
                   fmt::format("found {}, expected at least min_threshold_from_bytes ({}): Kmax is "
                               "never below Kmin",
                               band.max_threshold_to_bytes(), band.min_threshold_from_bytes()));
  }
  for (const char* bound :
       {"min_threshold_from_bytes", "min_threshold_to_bytes", "max_threshold_from_bytes",
        "max_threshold_to_bytes", "probability_from_percent", "probability_to_percent"}) {
    if (review.sources().Has(path + "." + bound)) return;
  }
  review.Problem(path, "found a band without a bound, expected at least one");
}

}  // namespace

void ReviewSwitches(const v1::SwitchIntent& switches, const v1::FabricIntent& intent,
                    PolicyReview& review) {
  for (int i = 0; i < switches.ignored_ports_size(); ++i) {
    const std::string& pattern = switches.ignored_ports(i);
    const std::size_t colon = pattern.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == pattern.size()) {
      review.Problem(
          fmt::format("switches.ignored_ports[{}]", i),
          "found " + yaml::Quote(pattern) + ", expected SWITCH:PORT, such as leaf*:Ethernet120");
    }
  }
  if (switches.has_mtu_bytes() && intent.has_mtu_bytes() &&
      switches.mtu_bytes() < intent.mtu_bytes()) {
    review.Problem("switches.mtu_bytes",
                   fmt::format("found {}, expected at least the hosts' {} (intent.mtu_bytes)",
                               switches.mtu_bytes(), intent.mtu_bytes()));
  }
  std::set<std::uint32_t> speeds;
  for (int i = 0; i < switches.ecn_bands_size(); ++i) {
    const v1::EcnBand& band = switches.ecn_bands(i);
    const std::string path = fmt::format("switches.ecn_bands[{}]", i);
    if (!speeds.insert(band.up_to_mbps()).second) {
      review.Problem(path + ".up_to_mbps",
                     fmt::format("found {} again, expected each speed once", band.up_to_mbps()));
    }
    ReviewBand(band, path, review);
  }
  if (switches.ecn_bands_size() > 0 && intent.has_congestion_control() &&
      intent.congestion_control() != "dcqcn") {
    review.Note("switches.ecn_bands",
                fmt::format("nothing is judged by them with congestion_control {}",
                            intent.congestion_control()));
  }
}

}  // namespace roceready
