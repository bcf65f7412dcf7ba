// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/order_view.h"

#include <fmt/core.h>

#include <utility>

namespace roceready::probe {
namespace {

OrderView ViewStep(const v1::Order& order, StepKind kind, std::string name, uint32_t phase = 0) {
  OrderView view;
  view.order = &order;
  view.key = {order.probe_id(), order.attempt()};
  view.step = std::move(name);
  view.session_step = Step{.kind = kind, .phase = phase, .peer = {}, .name = view.step};
  return view;
}

}  // namespace

std::optional<OrderView> ViewOrder(const v1::ConnectResponse& message) {
  switch (message.body_case()) {
    case v1::ConnectResponse::kPrepareProbe: {
      const v1::PrepareProbe& body = message.prepare_probe();
      OrderView view = ViewStep(body.order(), StepKind::kPrepare, "prepare");
      view.prepare = &body;
      return view;
    }
    case v1::ConnectResponse::kConnectProbe: {
      const v1::ConnectProbe& body = message.connect_probe();
      OrderView view = ViewStep(body.order(), StepKind::kConnect, "connect");
      view.session_step->peer = body.peer();
      return view;
    }
    case v1::ConnectResponse::kArmPhase: {
      const v1::ArmPhase& body = message.arm_phase();
      return ViewStep(body.order(), StepKind::kArm, fmt::format("arm/{}", body.phase()),
                      body.phase());
    }
    case v1::ConnectResponse::kRunPhase: {
      const v1::RunPhase& body = message.run_phase();
      return ViewStep(body.order(), StepKind::kRun, fmt::format("run/{}", body.phase()),
                      body.phase());
    }
    case v1::ConnectResponse::kClosePhase: {
      const v1::ClosePhase& body = message.close_phase();
      return ViewStep(body.order(), StepKind::kClose, fmt::format("close/{}", body.phase()),
                      body.phase());
    }
    case v1::ConnectResponse::kReleaseProbe: {
      const v1::ReleaseProbe& body = message.release_probe();
      OrderView view;
      view.order = &body.order();
      view.key = {body.order().probe_id(), body.order().attempt()};
      view.step = "release";
      view.release = &body;
      return view;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace roceready::probe
