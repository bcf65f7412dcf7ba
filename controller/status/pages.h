// SPDX-License-Identifier: Apache-2.0
// What whoever watches the controller asks for: /healthz, /readyz, /version and /metrics, for the
// same clients as the rest of REST (viewers).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controller/audit/work_thread.h"
#include "controller/status/loop_page.h"
#include "controller/status/metrics.h"

namespace roceready::status {

class Pages {
 public:
  // Not owned; all outlive the loop's last turn, as the pages themselves do.
  struct Tools {
    EventLoop* loop = nullptr;
    // Makes the text of the metrics.
    Worker* worker = nullptr;
    // Called on the loop.
    std::function<Standing()> standing;
    Sources sources;
    // Plain text on loopback, for tests: whoever asks may look.
    bool trust_everybody = false;
    // Where /proc is.
    std::string root = "/";
  };

  explicit Pages(Tools tools);

  static const std::vector<std::string>& Paths();

  // From any thread. False: the path is none of these, and nothing was answered.
  bool Handle(const rest::HttpRequest& request,
              const std::shared_ptr<rest::HttpResponder>& responder);

 private:
  void MakeMetrics(LoopPage::Done done) const;
  absl::Status MayLook(const rest::HttpRequest& request) const;

  const Tools tools_;
  LoopPage health_;
  LoopPage ready_;
  LoopPage metrics_;
};

}  // namespace roceready::status
