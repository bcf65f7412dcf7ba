// SPDX-License-Identifier: Apache-2.0
#include "controller/api/rest/http_server.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <map>
#include <optional>
#include <thread>

#include "controller/api/rest/pending_answer.h"
#include "controller/api/rest/problem.h"
#include "proto/contract/errors.h"
#include "proto/process/refusals.h"
#include "proto/process/tls_identity.h"

namespace roceready::rest {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// Keeps an idle event stream alive through proxies, and finds out that its reader has gone.
constexpr auto kStreamPing = std::chrono::seconds(15);

// Of what a client still sends after it was refused.
constexpr size_t kDrainedBytes = size_t{16} * 1024 * 1024;
constexpr auto kDrainTime = std::chrono::seconds(2);

http::response<http::string_body> ToBeast(HttpResponse&& response, bool keep_alive) {
  http::response<http::string_body> message(static_cast<http::status>(response.status), 11);
  message.set(http::field::server, "roceready");
  message.set(http::field::content_type, response.content_type);
  message.set(http::field::cache_control, "no-store");
  message.set("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : response.headers) message.set(name, value);
  message.keep_alive(keep_alive);
  if (response.status == 204 || response.status == 304) {  // without a body, whatever its length
    message.erase(http::field::content_type);
    return message;
  }
  message.body() = std::move(response.body);
  message.prepare_payload();
  return message;
}

// The answer to HEAD: the header of the answer to GET.
void WithoutBody(http::response<http::string_body>& response) {
  if (response.body().empty()) return;
  const size_t length = response.body().size();
  response.body().clear();
  response.content_length(length);
}

// Changes nothing about what is accepted; says whose certificate was not.
bool LogIfRefused(bool accepted, asio::ssl::verify_context& verification) {
  if (accepted) return true;
  X509_STORE_CTX* const context = verification.native_handle();
  LogRefusal("certificate refused",
             {{"of", IdentityOfCertificate(X509_STORE_CTX_get0_cert(context)).Describe()},
              {"why", X509_verify_cert_error_string(X509_STORE_CTX_get_error(context))}});
  return false;
}

int64_t ModifiedAt(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return 0;
  return info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec;
}

// The TLS context of new connections, made again when a certificate file has changed.
class TlsContext {
 public:
  explicit TlsContext(v1::TlsFiles files) : files_(std::move(files)) {}

  absl::StatusOr<std::shared_ptr<asio::ssl::context>> Current() {
    const int64_t version =
        ModifiedAt(files_.ca()) ^ ModifiedAt(files_.certificate()) ^ ModifiedAt(files_.key());
    if (context_ != nullptr && version == version_) return context_;
    auto made = Make();
    // A half-written set of files must not end the service: the old one stays in force.
    if (!made.ok()) return context_ != nullptr ? context_ : made;
    context_ = *made;
    version_ = version;
    return context_;
  }

 private:
  absl::StatusOr<std::shared_ptr<asio::ssl::context>> Make() const {
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    error_code error;
    context->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                             asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                             asio::ssl::context::no_tlsv1_1,
                         error);
    if (!error) context->load_verify_file(files_.ca(), error);
    if (error) return FailedPrecondition("CA file {}: {}", files_.ca(), error.message());
    context->use_certificate_chain_file(files_.certificate(), error);
    if (error) {
      return FailedPrecondition("certificate {}: {}", files_.certificate(), error.message());
    }
    context->use_private_key_file(files_.key(), asio::ssl::context::pem, error);
    if (error) return FailedPrecondition("key {}: {}", files_.key(), error.message());
    context->set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert,
                             error);
    if (!error) context->set_verify_callback(&LogIfRefused, error);
    if (error) return FailedPrecondition("TLS: {}", error.message());
    // As on the gRPC ports: an intermediate CA may be what a site trusts.
    X509_STORE_set_flags(SSL_CTX_get_cert_store(context->native_handle()),
                         X509_V_FLAG_PARTIAL_CHAIN);
    return context;
  }

  const v1::TlsFiles files_;
  int64_t version_ = 0;
  std::shared_ptr<asio::ssl::context> context_;
};

class BeastServer : public HttpServer {
 public:
  BeastServer(const HttpServerOptions& options, HttpHandler handler)
      : options_(options), handler_(std::move(handler)), tls_(options.tls) {}

  ~BeastServer() override {
    context_->stop();
    if (thread_.joinable()) thread_.join();
    // With the context go the connections that wait in it; each closes its socket and its answer.
  }

  absl::Status Listen() {
    if (!options_.insecure_loopback) {
      const auto context = tls_.Current();
      if (!context.ok()) return context.status();
    }
    const size_t colon = options_.listen.rfind(':');
    if (colon == std::string::npos) {
      return FailedPrecondition("rest_listen \"{}\" has no port; give ADDRESS:PORT",
                                options_.listen);
    }
    std::string address = options_.listen.substr(0, colon);
    if (address.starts_with('[') && address.ends_with(']')) {
      address = address.substr(1, address.size() - 2);
    }
    error_code error;
    tcp::resolver resolver(io_);
    const auto found =
        resolver.resolve(address, options_.listen.substr(colon + 1), tcp::resolver::passive, error);
    if (error || found.empty()) {
      return FailedPrecondition("rest_listen \"{}\": {}", options_.listen, error.message());
    }
    const tcp::endpoint endpoint = found.begin()->endpoint();
    if (options_.insecure_loopback && !endpoint.address().is_loopback()) {
      return FailedPrecondition(
          "plain text (insecure_loopback) is only for loopback addresses; rest_listen is {}",
          options_.listen);
    }
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error && endpoint.address().is_v6()) {
      error_code ignored;  // one socket for both families where the machine has both
      acceptor_.set_option(asio::ip::v6_only(false), ignored);
    }
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return Unavailable("cannot listen on {} (rest_listen): {}", options_.listen, error.message());
    }
    port_ = acceptor_.local_endpoint().port();
    asio::co_spawn(io_, Accept(), asio::detached);
    thread_ = std::thread([this] { io_.run(); });
    return absl::OkStatus();
  }

  int port() const override { return port_; }

 private:
  asio::awaitable<void> Accept() {
    while (acceptor_.is_open()) {
      error_code error;
      tcp::socket socket =
          co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (error == asio::error::operation_aborted) co_return;
      if (error) {  // out of descriptors, or the client has already gone
        asio::steady_timer pause(io_, std::chrono::milliseconds(100));
        co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
        continue;
      }
      const tcp::endpoint peer = socket.remote_endpoint(error);
      if (error) continue;
      const std::string address = peer.address().to_string();
      if (connections_ >= options_.max_connections ||
          connections_of_[address] >= options_.max_connections_per_address) {
        continue;  // the socket closes
      }
      ++connections_;
      ++connections_of_[address];
      asio::co_spawn(io_, Connection(std::move(socket), address), asio::detached);
    }
  }

  // One connection from accept to close; accounts for it whatever happens inside.
  asio::awaitable<void> Connection(tcp::socket socket, std::string address) {
    if (options_.insecure_loopback) {
      beast::tcp_stream stream(std::move(socket));
      co_await Serve(stream, stream, "");
    } else if (const auto context = tls_.Current(); context.ok()) {
      beast::ssl_stream<beast::tcp_stream> stream(std::move(socket), **context);
      beast::tcp_stream& transport = beast::get_lowest_layer(stream);
      error_code error;
      transport.expires_after(options_.request_deadline);
      co_await stream.async_handshake(asio::ssl::stream_base::server,
                                      asio::redirect_error(asio::use_awaitable, error));
      if (error) {
        LogRefusal("TLS handshake failed", {{"peer", address}, {"why", error.message()}});
      } else {
        const std::string principal = Principal(stream.native_handle());
        co_await Serve(stream, transport, principal);
        transport.expires_after(std::chrono::seconds(1));
        co_await stream.async_shutdown(asio::redirect_error(asio::use_awaitable, error));
      }
    }
    --connections_;
    if (--connections_of_[address] == 0) connections_of_.erase(address);
  }

  static std::string Principal(SSL* ssl) {
    X509* certificate = SSL_get1_peer_certificate(ssl);
    const std::string principal = EncodeIdentity(IdentityOfCertificate(certificate));
    X509_free(certificate);
    return principal;
  }

  template <typename Stream>
  asio::awaitable<void> Serve(Stream& stream, beast::tcp_stream& transport, std::string principal) {
    beast::flat_buffer buffer(options_.max_header_bytes + options_.max_body_bytes);
    bool first = true;
    while (true) {
      http::request_parser<http::string_body> parser;
      parser.header_limit(options_.max_header_bytes);
      parser.body_limit(options_.max_body_bytes);
      error_code error;
      transport.expires_after(first ? options_.request_deadline : options_.idle_deadline);
      co_await http::async_read_header(stream, buffer, parser,
                                       asio::redirect_error(asio::use_awaitable, error));
      if (!error) {
        transport.expires_after(options_.request_deadline);
        co_await http::async_read(stream, buffer, parser,
                                  asio::redirect_error(asio::use_awaitable, error));
      }
      first = false;
      if (error) {
        if (std::optional<HttpResponse> refusal = Refusal(error)) {
          transport.expires_after(options_.request_deadline);
          co_await http::async_write(stream, ToBeast(*std::move(refusal), false),
                                     asio::redirect_error(asio::use_awaitable, error));
          transport.expires_after(kDrainTime);
          if (!error) co_await Drain(stream);
        }
        co_return;
      }
      const bool keep_alive = co_await Respond(stream, transport, parser.release(), principal);
      if (!keep_alive) co_return;
    }
  }

  // What a request that cannot be read is answered; nothing where the client has gone or is silent.
  std::optional<HttpResponse> Refusal(const error_code& error) const {
    if (error == http::error::body_limit) {
      return Problem(413, "TOO_LARGE",
                     fmt::format("the body has more than {} bytes, which is the limit",
                                 options_.max_body_bytes));
    }
    if (error == http::error::header_limit) {
      return Problem(431, "TOO_LARGE",
                     fmt::format("the header has more than {} bytes, which is the limit",
                                 options_.max_header_bytes));
    }
    const bool gone = error == http::error::end_of_stream || error == http::error::partial_message;
    if (gone || error.category() != http::make_error_code(http::error::bad_method).category()) {
      return std::nullopt;
    }
    return Problem(400, "INVALID_ARGUMENT",
                   fmt::format("this is no HTTP/1.1 request: {}", error.message()));
  }

  // Reads on for a while: closing with bytes unread resets the connection, and the client may never
  // see why.
  template <typename Stream>
  asio::awaitable<void> Drain(Stream& stream) {
    std::array<char, 16 * 1024> unwanted;
    error_code error;
    for (size_t read = 0; !error && read < kDrainedBytes;) {
      read += co_await stream.async_read_some(asio::buffer(unwanted),
                                              asio::redirect_error(asio::use_awaitable, error));
    }
  }

  // Hands one request to the handler and sends what it answers. False: the connection ends.
  template <typename Stream>
  asio::awaitable<bool> Respond(Stream& stream, beast::tcp_stream& transport,
                                http::request<http::string_body> message, std::string principal) {
    auto wake = std::make_shared<asio::steady_timer>(io_, asio::steady_timer::time_point::max());
    // Weak: a handler may answer after this connection, or the whole server, has ended.
    auto answer = std::make_shared<PendingAnswer>(
        [context = std::weak_ptr(context_), timer = std::weak_ptr(wake)] {
          const auto alive = context.lock();
          if (alive == nullptr) return;
          asio::post(*alive, [timer] {
            if (const auto waiting = timer.lock()) waiting->cancel();
          });
        },
        options_.max_stream_backlog_bytes);
    // Also when this coroutine is dropped where it waits.
    const std::unique_ptr<PendingAnswer, void (*)(PendingAnswer*)> closer(
        answer.get(), [](PendingAnswer* pending) { pending->Close(); });
    const bool keep_alive = message.keep_alive();
    const bool head = message.method() == http::verb::head;
    handler_(ToRequest(std::move(message), std::move(principal)), answer);

    std::optional<http::response_serializer<http::empty_body>> serializer;
    http::response<http::empty_body> header;
    bool result = false;
    error_code error;
    while (true) {
      PendingAnswer::News news = answer->Take();
      transport.expires_after(options_.request_deadline);
      if (news.response) {
        auto response = ToBeast(*std::move(news.response), keep_alive);
        if (head) WithoutBody(response);
        co_await http::async_write(stream, response,
                                   asio::redirect_error(asio::use_awaitable, error));
        result = !error && keep_alive;
        break;
      }
      if (news.stream_content_type) {
        header = http::response<http::empty_body>(http::status::ok, 11);
        header.set(http::field::server, "roceready");
        header.set(http::field::content_type, *news.stream_content_type);
        header.set(http::field::cache_control, "no-store");
        header.chunked(true);
        header.keep_alive(false);
        serializer.emplace(header);
        co_await http::async_write_header(stream, *serializer,
                                          asio::redirect_error(asio::use_awaitable, error));
        if (error || head) break;
      }
      if (!news.bytes.empty()) {
        co_await asio::async_write(stream, http::make_chunk(asio::buffer(news.bytes)),
                                   asio::redirect_error(asio::use_awaitable, error));
        if (error) break;
      }
      if (news.overflowed) break;
      if (news.ended) {
        co_await asio::async_write(stream, http::make_chunk_last(),
                                   asio::redirect_error(asio::use_awaitable, error));
        break;
      }
      if (answer->has_news()) continue;
      const auto overdue_at = answer->overdue_at();
      wake->expires_at(std::min(std::chrono::steady_clock::now() + kStreamPing, overdue_at));
      transport.expires_never();
      co_await wake->async_wait(asio::redirect_error(asio::use_awaitable, error));
      if (!error && std::chrono::steady_clock::now() >= overdue_at) {
        answer->AnswerOverdue();
      } else if (!error && serializer) {  // the timer ran out: nothing new
        transport.expires_after(options_.request_deadline);
        const std::string ping = ": still there\n\n";
        co_await asio::async_write(stream, http::make_chunk(asio::buffer(ping)),
                                   asio::redirect_error(asio::use_awaitable, error));
        if (error) break;
      }
    }
    co_return result;
  }

  // A field that is a list may come in several lines.
  static std::string ListOf(const http::fields& header, http::field name) {
    std::string list;
    const auto [begin, end] = header.equal_range(name);
    for (auto line = begin; line != end; ++line) {
      list += (list.empty() ? "" : ", ") + std::string(line->value());
    }
    return list;
  }

  static HttpRequest ToRequest(http::request<http::string_body> message, std::string principal) {
    HttpRequest request;
    request.method = std::string(message.method_string());
    const std::string target(message.target());
    const size_t question = target.find('?');
    request.path = target.substr(0, question);
    if (question != std::string::npos) request.query = target.substr(question + 1);
    request.accept = ListOf(message, http::field::accept);
    request.if_none_match = ListOf(message, http::field::if_none_match);
    request.content_type = std::string(message[http::field::content_type]);
    request.idempotency_key = std::string(message["Idempotency-Key"]);
    request.last_event_id = std::string(message["Last-Event-ID"]);
    request.principal = std::move(principal);
    request.body = std::move(message.body());
    return request;
  }

  const HttpServerOptions options_;
  const HttpHandler handler_;
  // All that follows belongs to the server's thread once it runs.
  TlsContext tls_;
  std::shared_ptr<asio::io_context> context_ = std::make_shared<asio::io_context>(1);
  asio::io_context& io_ = *context_;
  tcp::acceptor acceptor_{io_};
  int connections_ = 0;
  std::map<std::string, int> connections_of_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpServerOptions& options,
                                                              HttpHandler handler) {
  auto server = std::make_unique<BeastServer>(options, std::move(handler));
  RETURN_IF_ERROR(server->Listen());
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace roceready::rest
