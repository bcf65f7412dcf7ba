// SPDX-License-Identifier: Apache-2.0
// A document at a path of its own that stays as it is while the program runs.
#pragma once

#include <memory>
#include <string>

#include "controller/api/rest/http.h"

namespace roceready::rest {

class FixedDocument {
 public:
  // JSON.
  FixedDocument(std::string path, std::string text)
      : path_(std::move(path)), text_(std::move(text)) {}

  const std::string& path() const { return path_; }

  // From any thread, whoever asks. False: the path is another one, and nothing was answered.
  bool Handle(const HttpRequest& request, const std::shared_ptr<HttpResponder>& responder) const;

 private:
  const std::string path_;
  const std::string text_;
};

}  // namespace roceready::rest
