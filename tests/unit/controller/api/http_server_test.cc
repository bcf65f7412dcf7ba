// SPDX-License-Identifier: Apache-2.0
// The real server on a loopback port, spoken to by a small blocking client.
#include "controller/api/rest/http_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <mutex>

#include "controller/api/rest/pending_answer.h"
#include "proto/process/pki.h"

namespace roceready::rest {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr int kPatience = 20;  // seconds; only a broken server makes a test wait that long

int Connect(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const timeval limit{kPatience, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  return fd;
}

// Sends `text` as it is and reads until the server closes.
std::string Exchange(int port, const std::string& text) {
  const int fd = Connect(port);
  size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t n = send(fd, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) break;  // the server has refused and gone
    sent += static_cast<size_t>(n);
  }
  std::string answer;
  char buffer[4096];
  ssize_t n = 0;
  while ((n = recv(fd, buffer, sizeof(buffer), 0)) > 0)
    answer.append(buffer, static_cast<size_t>(n));
  close(fd);
  return answer;
}

HttpServerOptions Plain() {
  HttpServerOptions options;
  options.listen = "127.0.0.1:0";
  options.insecure_loopback = true;
  return options;
}

std::unique_ptr<HttpServer> StartServer(const HttpServerOptions& options, HttpHandler handler) {
  auto server = HttpServer::Start(options, std::move(handler));
  EXPECT_TRUE(server.ok()) << server.status();
  return *std::move(server);
}

void Echo(HttpRequest request, const std::shared_ptr<HttpResponder>& responder) {
  HttpResponse response;
  response.body = request.method + " " + request.path + "?" + request.query + " [" + request.body +
                  "] " + request.principal;
  responder->Send(std::move(response));
}

TEST(HttpServer, AnswersAndKeepsTheConnection) {
  const auto server = StartServer(Plain(), Echo);

  const std::string answer = Exchange(
      server->port(),
      "GET /v1/hosts?a=b HTTP/1.1\r\nHost: x\r\n\r\n"
      "POST /v1/audits HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");

  EXPECT_THAT(answer, HasSubstr("GET /v1/hosts?a=b []"));
  EXPECT_THAT(answer, HasSubstr("POST /v1/audits? [{}]"));
}

TEST(HttpServer, AnswersHeadWithTheHeaderOfGet) {
  const auto server = StartServer(Plain(), [](const HttpRequest&, const auto& responder) {
    responder->Send({.status = 404, .body = "twelve bytes"});
  });

  // The second answer would be taken for the first one's body.
  const std::string answer = Exchange(server->port(),
                                      "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n"
                                      "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

  const std::size_t second = answer.find("HTTP/1.1 404", 1);
  ASSERT_NE(second, std::string::npos) << answer;
  EXPECT_THAT(answer.substr(0, second), HasSubstr("Content-Length: 12\r\n"));
  EXPECT_THAT(answer.substr(0, second), testing::EndsWith("\r\n\r\n"));
  EXPECT_THAT(answer.substr(second), testing::EndsWith("\r\n\r\ntwelve bytes"));
}

TEST(HttpServer, AnswersHeadOfAStreamWithItsHeaderAlone) {
  std::promise<void> closed;
  const auto server = StartServer(Plain(), [&](const HttpRequest&, const auto& responder) {
    responder->OnClosed([&] { closed.set_value(); });
    responder->StartStream("text/event-stream");
    responder->WriteChunk("data: 1\n\n");
  });

  const std::string answer = Exchange(server->port(), "HEAD /events HTTP/1.1\r\nHost: x\r\n\r\n");

  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, testing::EndsWith("\r\n\r\n"));
  EXPECT_EQ(closed.get_future().wait_for(std::chrono::seconds(kPatience)),
            std::future_status::ready)
      << "who makes the stream hears that nobody reads it";
}

TEST(HttpServer, AnswersWithoutABodyHaveNoLength) {
  const auto server = StartServer(Plain(), [](const HttpRequest& request, const auto& responder) {
    responder->Send({.status = request.path == "/304" ? 304 : 204, .headers = {{"ETag", "\"a\""}}});
  });

  const std::string answer = Exchange(server->port(),
                                      "GET /304 HTTP/1.1\r\nHost: x\r\n\r\n"
                                      "OPTIONS / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

  EXPECT_THAT(answer, StartsWith("HTTP/1.1 304"));
  EXPECT_THAT(answer, HasSubstr("\r\n\r\nHTTP/1.1 204"));
  EXPECT_THAT(answer, HasSubstr("ETag: \"a\"\r\n"));
  EXPECT_THAT(answer, testing::Not(HasSubstr("\r\nContent-")));
}

TEST(HttpServer, HandsOnTheHeadersThatHandlersKnow) {
  const auto server = StartServer(Plain(), [](const HttpRequest& request, const auto& responder) {
    responder->Send({.body = request.accept + "|" + request.content_type + "|" +
                             request.idempotency_key + "|" + request.if_none_match + "|" +
                             request.last_event_id});
  });

  EXPECT_THAT(Exchange(server->port(),
                       "POST / HTTP/1.1\r\nHost: x\r\naccept: a/b\r\nAccept: c/d\r\n"
                       "Content-Type: e/f\r\nidempotency-key: g\r\nIf-None-Match: \"h\"\r\n"
                       "Last-Event-ID: 7\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
              testing::EndsWith("a/b, c/d|e/f|g|\"h\"|7"));
}

TEST(HttpServer, AnswersForAHandlerThatIsStuck) {
  std::promise<std::shared_ptr<HttpResponder>> held;
  const auto server = StartServer(
      Plain(), [&](const HttpRequest&, const std::shared_ptr<HttpResponder>& responder) {
        responder->AnswerBy(std::chrono::milliseconds(1),
                            [] { return HttpResponse{.status = 503, .body = "stuck"}; });
        held.set_value(responder);
      });

  const std::string answer =
      Exchange(server->port(), "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(answer, testing::EndsWith("stuck"));
  held.get_future().get()->Send({.body = "late"});
}

TEST(HttpServer, AnAnswerInTimeIsTheAnswer) {
  const auto server =
      StartServer(Plain(), [](const HttpRequest&, const std::shared_ptr<HttpResponder>& responder) {
        responder->AnswerBy(std::chrono::hours(1), [] { return HttpResponse{.status = 503}; });
        responder->Send({.body = "in time"});
      });

  EXPECT_THAT(Exchange(server->port(), "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              testing::EndsWith("in time"));
}

TEST(PendingAnswer, KnowsWhatCameSinceItWasLookedAt) {
  int wakes = 0;
  PendingAnswer answer([&] { ++wakes; }, 1024);
  EXPECT_FALSE(answer.has_news());
  answer.StartStream("text/event-stream");
  EXPECT_TRUE(answer.has_news());
  EXPECT_TRUE(answer.Take().stream_content_type.has_value());
  EXPECT_FALSE(answer.has_news());
  answer.WriteChunk("data: 1\n\n");
  EXPECT_TRUE(answer.has_news());
  EXPECT_EQ(answer.Take().bytes, "data: 1\n\n");
  answer.EndStream();
  EXPECT_TRUE(answer.has_news());
  EXPECT_TRUE(answer.Take().ended);
  EXPECT_FALSE(answer.has_news());
  EXPECT_EQ(wakes, 3);
}

TEST(HttpServer, StreamsChunksFromAnotherThread) {
  std::promise<std::shared_ptr<HttpResponder>> held;
  const auto server = StartServer(
      Plain(), [&](const HttpRequest&, const auto& responder) { held.set_value(responder); });
  auto answer = std::async(std::launch::async, [&] {
    return Exchange(server->port(), "GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  });

  const auto responder = held.get_future().get();
  responder->StartStream("text/event-stream");
  responder->WriteChunk("data: 1\n\n");
  responder->WriteChunk("data: 2\n\n");
  responder->EndStream();

  const std::string text = answer.get();
  EXPECT_THAT(text, HasSubstr("Content-Type: text/event-stream"));
  EXPECT_THAT(text, HasSubstr("data: 1\n\n"));
  EXPECT_THAT(text, HasSubstr("data: 2\n\n"));
}

TEST(HttpServer, CutsOffAReaderThatFallsBehind) {
  std::promise<std::shared_ptr<HttpResponder>> held;
  HttpServerOptions options = Plain();
  options.max_stream_backlog_bytes = 64 * 1024;
  const auto server = StartServer(
      options, [&](const HttpRequest&, const auto& responder) { held.set_value(responder); });
  const int fd = Connect(server->port());
  const std::string request = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";
  ASSERT_GT(send(fd, request.data(), request.size(), MSG_NOSIGNAL), 0);
  const auto responder = held.get_future().get();
  std::promise<void> closed;
  responder->OnClosed([&] { closed.set_value(); });

  responder->StartStream("text/event-stream");
  responder->WriteChunk(std::string(65 * 1024, 'x'));

  EXPECT_EQ(closed.get_future().wait_for(std::chrono::seconds(kPatience)),
            std::future_status::ready);
  close(fd);
}

TEST(HttpServer, RefusesWhatIsTooLarge) {
  HttpServerOptions options = Plain();
  options.max_header_bytes = 4096;
  options.max_body_bytes = 4096;
  const auto server = StartServer(options, Echo);

  EXPECT_THAT(Exchange(server->port(), "GET / HTTP/1.1\r\nX: " + std::string(100000, 'a')),
              StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(Exchange(server->port(), "GET /" + std::string(100000, 'a')),
              StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(
      Exchange(server->port(), "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n"),
      StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(
      Exchange(server->port(), "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" +
                                   std::string("2000\r\n") + std::string(0x2000, 'b') + "\r\n"),
      StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(Exchange(server->port(), "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              HasSubstr("GET /"));
}

TEST(HttpServer, AClientThatIsRefusedWhileItSendsStillHearsWhy) {
  HttpServerOptions options = Plain();
  options.max_body_bytes = 4096;
  const auto server = StartServer(options, Echo);

  const std::string answer =
      Exchange(server->port(), "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n" +
                                   std::string(4'000'000, 'b'));

  EXPECT_THAT(answer, StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(answer, HasSubstr("the body has more than 4096 bytes"));
}

TEST(HttpServer, SurvivesGarbageAndEarlyGoodbyes) {
  const auto server = StartServer(Plain(), Echo);

  Exchange(server->port(), std::string("\x16\x03\x01\x02\x00\x01\x00", 7) + "\r\n\r\n");
  close(Connect(server->port()));
  EXPECT_THAT(Exchange(server->port(), "NONSENSE\r\n\r\n"),
              testing::AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("this is no HTTP/1.1 request")));

  EXPECT_THAT(Exchange(server->port(), "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              HasSubstr("GET /a"));
}

TEST(HttpServer, AnswerAfterTheServerHasEndedComesToNothing) {
  std::promise<std::shared_ptr<HttpResponder>> held;
  auto server = StartServer(
      Plain(), [&](const HttpRequest&, const auto& responder) { held.set_value(responder); });
  const int fd = Connect(server->port());
  const std::string request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  ASSERT_GT(send(fd, request.data(), request.size(), MSG_NOSIGNAL), 0);
  const auto responder = held.get_future().get();

  server.reset();
  responder->Send({});
  responder->WriteChunk("late");

  close(fd);
}

TEST(HttpServer, RefusesPlainTextBeyondThisMachine) {
  HttpServerOptions options = Plain();
  options.listen = "0.0.0.0:0";

  const auto server = HttpServer::Start(options, Echo);

  ASSERT_FALSE(server.ok());
  EXPECT_THAT(std::string(server.status().message()), HasSubstr("loopback"));
}

// A CA, a controller and a client made for this test, in a folder of its own.
class HttpServerTls : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/http_server_tls_" + std::to_string(getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    const auto life = pki::LifetimeOfDays(std::chrono::system_clock::now(), 1);
    const auto ca = pki::CreateCa("test", life);
    const auto other_ca = pki::CreateCa("other", life);
    ASSERT_TRUE(ca.ok() && other_ca.ok());
    Write(*ca, "ca");
    Write(*pki::IssueForController(*ca, {"localhost", "127.0.0.1"}, life), "controller");
    Write(*pki::IssueForClient(*ca, "sre", Role::kOperator, life), "client");
    Write(*pki::IssueForClient(*other_ca, "stranger", Role::kAdmin, life), "stranger");
    options_.listen = "127.0.0.1:0";
    options_.tls.set_ca(folder_ + "/ca.crt");
    options_.tls.set_certificate(folder_ + "/controller.crt");
    options_.tls.set_key(folder_ + "/controller.key");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const pki::KeyPair& pair, const std::string& name) {
    ASSERT_TRUE(pki::WriteKeyPair(pair, folder_, name).ok());
  }

  // The answer, or "" where the connection was refused. `name` empty: without a certificate.
  std::string Ask(int port, const std::string& name) {
    SSL_CTX* context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_load_verify_locations(context, options_.tls.ca().c_str(), nullptr);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    if (!name.empty()) {
      SSL_CTX_use_certificate_file(context, (folder_ + "/" + name + ".crt").c_str(),
                                   SSL_FILETYPE_PEM);
      SSL_CTX_use_PrivateKey_file(context, (folder_ + "/" + name + ".key").c_str(),
                                  SSL_FILETYPE_PEM);
    }
    const int fd = Connect(port);
    SSL* ssl = SSL_new(context);
    SSL_set_fd(ssl, fd);
    std::string answer;
    if (SSL_connect(ssl) == 1) {
      const std::string request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
      SSL_write(ssl, request.data(), static_cast<int>(request.size()));
      char buffer[4096];
      int n = 0;
      while ((n = SSL_read(ssl, buffer, sizeof(buffer))) > 0)
        answer.append(buffer, static_cast<size_t>(n));
    }
    SSL_free(ssl);
    SSL_CTX_free(context);
    close(fd);
    return answer;
  }

  std::string folder_;
  HttpServerOptions options_;
};

TEST_F(HttpServerTls, TakesOnlyClientsOfItsCaAndKnowsTheirRole) {
  const auto server = StartServer(options_, Echo);

  EXPECT_THAT(Ask(server->port(), "client"), HasSubstr("roceready://role/operator"));
  EXPECT_EQ(Ask(server->port(), "stranger"), "");
  EXPECT_EQ(Ask(server->port(), ""), "");
}

TEST_F(HttpServerTls, NamesTheFileThatCannotBeUsed) {
  options_.tls.set_key(folder_ + "/client.key");

  const auto server = HttpServer::Start(options_, Echo);

  ASSERT_FALSE(server.ok());
  EXPECT_THAT(std::string(server.status().message()), HasSubstr("client.key"));
}

}  // namespace
}  // namespace roceready::rest
