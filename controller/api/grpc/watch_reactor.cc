// SPDX-License-Identifier: Apache-2.0
#include "controller/api/grpc/watch_reactor.h"

#include <memory>
#include <utility>

namespace roceready {
namespace {

using WriteReactor = grpc::ServerWriteReactor<v1::WatchAuditResponse>;

// All of it belongs to the loop, which alone writes and finishes: the reactor is alive as long as
// `finished` is false.
class Watch : public std::enable_shared_from_this<Watch> {
 public:
  Watch(WriteReactor* reactor, FleetApi* api, Caller caller, const v1::WatchAuditRequest& request)
      : reactor_(reactor),
        api_(api),
        caller_(std::move(caller)),
        audit_id_(request.audit_id()),
        after_(request.after_sequence()) {}

  void Next() {
    if (finished_) return;
    absl::StatusOr<AuditLog::Batch> batch = api_->ReadEvents(caller_, audit_id_, after_, 1);
    if (!batch.ok()) return Finish(batch.status());
    if (!batch->events.empty()) {
      outgoing_ = std::move(batch->events.front());
      after_ = outgoing_.sequence();
      end_follows_ = batch->end;
      reactor_->StartWrite(&outgoing_);
      return;
    }
    if (batch->end) return Finish(absl::OkStatus());
    waiter_ = api_->WhenMoreEvents(audit_id_, after_, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->Next();
    });
  }

  void Written(bool ok) {
    if (finished_) return;
    if (!ok) return Finish(absl::CancelledError());
    if (end_follows_) return Finish(absl::OkStatus());
    Next();
  }

  void Cancelled() {
    if (!finished_) Finish(absl::CancelledError());
  }

 private:
  void Finish(const absl::Status& status) {
    finished_ = true;
    if (waiter_ != 0) api_->ForgetWaiter(audit_id_, waiter_);
    reactor_->Finish(GrpcStatusOf(status));
  }

  WriteReactor* reactor_;
  FleetApi* api_;
  const Caller caller_;
  const std::string audit_id_;
  std::uint64_t after_;
  v1::WatchAuditResponse outgoing_;
  AuditLog::WaiterId waiter_ = 0;
  bool end_follows_ = false;
  bool finished_ = false;
};

class Reactor final : public WriteReactor {
 public:
  Reactor(EventLoop* loop, FleetApi* api, Caller caller, const v1::WatchAuditRequest& request)
      : loop_(loop), watch_(std::make_shared<Watch>(this, api, std::move(caller), request)) {
    loop_->PostControl([watch = watch_] { watch->Next(); });
  }

 private:
  void OnWriteDone(bool ok) override {
    loop_->PostControl([watch = watch_, ok] { watch->Written(ok); });
  }
  void OnCancel() override {
    loop_->PostControl([watch = watch_] { watch->Cancelled(); });
  }
  void OnDone() override { delete this; }

  EventLoop* const loop_;
  const std::shared_ptr<Watch> watch_;
};

}  // namespace

WriteReactor* StartWatch(EventLoop* loop, FleetApi* api, Caller caller,
                         const v1::WatchAuditRequest& request) {
  return new Reactor(loop, api, std::move(caller), request);
}

}  // namespace roceready
