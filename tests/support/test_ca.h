// SPDX-License-Identifier: Apache-2.0
// A certificate authority made at run time, and TLS files issued by it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proto/process/pki.h"
#include "roceready/v1/config.pb.h"
#include "tests/support/temporary_directory.h"

namespace roceready {

class TestCa {
 public:
  TestCa() {
    const auto ca = pki::CreateCa("test CA", pki::LifetimeOfDays(Now(), 2));
    EXPECT_TRUE(ca.ok()) << ca.status();
    ca_ = *ca;
    EXPECT_TRUE(pki::WriteKeyPair(ca_, directory_.path(), "ca").ok());
  }

  v1::TlsFiles Host(std::string_view host) { return Host(host, pki::LifetimeOfDays(Now(), 1)); }
  v1::TlsFiles Host(std::string_view host, const pki::Lifetime& lifetime) {
    return Files(pki::IssueForHost(ca_, host, lifetime));
  }
  v1::TlsFiles Controller(const std::vector<std::string>& names) {
    return Controller(names, pki::LifetimeOfDays(Now(), 1));
  }
  v1::TlsFiles Controller(const std::vector<std::string>& names, const pki::Lifetime& lifetime) {
    return Files(pki::IssueForController(ca_, names, lifetime));
  }
  v1::TlsFiles Client(std::string_view user, Role role) {
    return Files(pki::IssueForClient(ca_, user, role, pki::LifetimeOfDays(Now(), 1)));
  }

  const pki::KeyPair& key_pair() const { return ca_; }
  static WallTime Now() { return std::chrono::system_clock::now(); }

 private:
  v1::TlsFiles Files(const absl::StatusOr<pki::KeyPair>& pair) {
    EXPECT_TRUE(pair.ok()) << pair.status();
    const std::string name = "issued-" + std::to_string(++issued_);
    EXPECT_TRUE(pki::WriteKeyPair(*pair, directory_.path(), name).ok());
    v1::TlsFiles files;
    files.set_ca(directory_.File("ca.crt"));
    files.set_certificate(directory_.File(name + ".crt"));
    files.set_key(directory_.File(name + ".key"));
    return files;
  }

  TemporaryDirectory directory_;
  pki::KeyPair ca_;
  int issued_ = 0;
};

}  // namespace roceready
