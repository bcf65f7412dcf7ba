// SPDX-License-Identifier: Apache-2.0
#include "tests/scale/fleet/simulated_host.h"

#include <fmt/core.h>

#include <utility>

#include "tests/scale/blame/audit_of_mix.h"

namespace roceready::scale {

void SimulatedFacts::Collect(bool, std::function<void(link::Collection)> done) {
  // The link is told after it has asked, as by a real collector.
  loop_->PostControl([this, done = std::move(done)] {
    link::Collection collection;
    collection.facts = host_.facts();
    collection.counters = host_.counters();
    collection.began = loop_->clock()->Now();
    done(std::move(collection));
  });
}

SimulatedHost::SimulatedHost(EventLoop* loop, link::Dialer* dialer, const SimulatedFabric* fabric,
                             Options options, std::atomic<size_t>* connected)
    : facts_(loop, HostOfMix(fabric->mix(), options.number)),
      random_(static_cast<uint32_t>(options.number)),
      probes_(loop, fabric, options.times,
              [this](v1::ConnectRequest answer) { link_.ProbeAnswered(std::move(answer)); }),
      connected_(connected),
      link_({.loop = loop,
             .dialer = dialer,
             .facts = &facts_,
             .probes = &probes_,
             .epochs = &epochs_,
             .random = [this] { return std::uniform_real_distribution<double>(0, 1)(random_); },
             .on_change = [this] { CountMe(); }},
            {.endpoint = options.endpoint,
             .identity = facts_.identity(),
             .instance = fmt::format("simulated-{}", options.number)}) {}

void SimulatedHost::CountMe() {
  const bool is_connected = link_.Status().connected;
  if (is_connected == is_counted_) return;
  is_counted_ = is_connected;
  *connected_ += is_connected ? 1 : -1;
}

}  // namespace roceready::scale
