// SPDX-License-Identifier: Apache-2.0
// A test program that uses gRPC links this object: gRPC is ended, with its threads joined, before
// main() returns. Otherwise one of its threads can outlive main(), and what OpenSSL keeps for that
// thread (its random number generator) is then reported as leaked.
#include <grpc/grpc.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <thread>

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class GrpcEnvironment : public testing::Environment {
 public:
  // What was closed last (a channel that was just connecting) lets go of the library a little
  // later, in its own threads: only who lets go last can wait for them. Patience ends because gRPC
  // 1.51 itself never frees a connection whose channel goes between the handshake and the server's
  // SETTINGS frame.
  void TearDown() override {
    const auto patience = steady_clock::now() + std::chrono::seconds(3);
    do {
      grpc_init();
      grpc_shutdown_blocking();
      if (grpc_is_initialized() == 0) return;
      std::this_thread::sleep_for(milliseconds(10));
    } while (steady_clock::now() < patience);
    std::cerr << "gRPC is still held, by something made in a test or by a connection of its own\n";
  }
};

[[maybe_unused]] testing::Environment* const kGrpcEnvironment =
    testing::AddGlobalTestEnvironment(new GrpcEnvironment);

}  // namespace
