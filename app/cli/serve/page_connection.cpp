#include "app/cli/serve/page_connection.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "app/cli/serve/serve_page.hpp"
#include "render/frame_writer.hpp"

namespace kino {
namespace {

using ServeResponse = http::response<http::string_body>;

constexpr std::uint32_t kMostHeaderBytes = 8192;
constexpr auto kRequestTime = std::chrono::seconds(10);
/// Pages that may show the window in a frame: those of this host, such as a notebook behind the same proxy, and
/// notebooks on this machine. The frame needs the token as well.
constexpr std::string_view kFrameAncestors = "'self' http://localhost:* http://127.0.0.1:*";

void replace_first(std::string& text, std::string_view before, std::string_view after) {
  if (const std::size_t at = text.find(before); at != std::string::npos)
    text.replace(at, before.size(), after);
}

/// Returns the page with the headers that restrict it to its own script and connection.
ServeResponse page_response(const ServeRequest& request) {
  ServeResponse response{http::status::ok, request.version()};
  const std::string nonce = random_token();
  std::string page(serve_page());
  replace_first(page, "NONCE", nonce);
  replace_first(page, "NONCE", nonce);
  replace_first(page, "VERSION", std::to_string(kFrameVersion));
  const std::string host(request[http::field::host]);
  response.set(http::field::content_type, "text/html; charset=utf-8");
  response.set("Content-Security-Policy",
               "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" + nonce +
                   "'; img-src data:; connect-src 'self' ws://" + host + " wss://" + host +
                   "; base-uri 'none'; form-action 'none'; frame-ancestors " + std::string(kFrameAncestors));
  response.set("Cross-Origin-Opener-Policy", "same-origin");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  if (request.method() == http::verb::head) {
    response.content_length(page.size());
  } else {
    response.body() = std::move(page);
  }
  return response;
}

ServeResponse text_response(const ServeRequest& request, http::status status, std::string_view text) {
  ServeResponse response{status, request.version()};
  response.set(http::field::content_type, "text/plain; charset=utf-8");
  response.body() = std::string(text) + "\n";
  return response;
}

ServeResponse redirection(const ServeRequest& request, const std::string& target) {
  ServeResponse response = text_response(request, http::status::temporary_redirect, target);
  response.set(http::field::location, target);
  return response;
}

/// A connection until its request is answered or becomes a WebSocket.
class PageConnection : public std::enable_shared_from_this<PageConnection> {
 public:
  PageConnection(PageHost& host, const PageAccess& access, ServeSocket socket)
      : host_(host), access_(access), counted_(host.connections()), stream_(std::move(socket)) {}

  void start() {
    parser_.header_limit(kMostHeaderBytes);
    parser_.body_limit(0);
    stream_.expires_after(kRequestTime);
    http::async_read(stream_, buffer_, parser_,
                     [self = shared_from_this()](error_code code, std::size_t /*bytes*/) {
                       if (!code) self->answer(self->parser_.release());
                     });
  }

 private:
  void answer(const ServeRequest& request);
  void start_page(const ServeRequest& request, std::string_view host);
  ServeResponse response_to(const ServeRequest& request) const;
  void respond(ServeResponse response);

  PageHost& host_;
  const PageAccess& access_;
  CountedConnection counted_;
  ServeStream stream_;
  beast::flat_buffer buffer_{2 * std::size_t{kMostHeaderBytes}};
  http::request_parser<http::empty_body> parser_;
  ServeResponse response_;
};

void PageConnection::answer(const ServeRequest& request) {
  const std::string host(request[http::field::host]);
  if (request.count(http::field::host) != 1 || !access_.names.allow(host)) {
    respond(
        text_response(request, http::status::forbidden,
                      "This server does not answer for this host name. Open it as 127.0.0.1 or localhost, or "
                      "start it with --allow-host."));
    return;
  }
  const std::string target(request.target());
  if (websocket::is_upgrade(request) && path_below(target, access_.base_path) == "session")
    return start_page(request, host);
  respond(response_to(request));
}

void PageConnection::start_page(const ServeRequest& request, std::string_view host) {
  if (request.count(http::field::origin) != 1 ||
      !access_.names.allow_origin(std::string(request[http::field::origin]), host)) {
    respond(text_response(request, http::status::forbidden, "Pages of other servers are not allowed here."));
    return;
  }
  stream_.expires_never();
  std::make_shared<PageSocket>(host_, std::move(stream_))->start(request);
}

ServeResponse PageConnection::response_to(const ServeRequest& request) const {
  const std::string target(request.target());
  if (request.method() != http::verb::get && request.method() != http::verb::head)
    return text_response(request, http::status::method_not_allowed, "Only GET and HEAD are allowed.");
  const std::string path = target.substr(0, target.find('?'));
  // Without the slash at the end, the relative address of the session would be wrong.
  if (path != "/" && path + "/" == access_.base_path) return redirection(request, access_.base_path);
  if (path_below(target, access_.base_path) == "") return page_response(request);
  return text_response(request, http::status::not_found, "There is no such page.");
}

void PageConnection::respond(ServeResponse response) {
  response_ = std::move(response);
  response_.set(http::field::cache_control, "no-store");
  response_.set("X-Content-Type-Options", "nosniff");
  response_.set("Referrer-Policy", "no-referrer");
  response_.keep_alive(false);
  if (!response_.has_content_length()) response_.prepare_payload();
  http::async_write(stream_, response_,
                    [self = shared_from_this()](error_code /*code*/, std::size_t /*bytes*/) {
                      error_code ignored;
                      self->stream_.socket().shutdown(ServeSocket::shutdown_send, ignored);
                    });
}

}  // namespace

void answer_connection(PageHost& host, const PageAccess& access, ServeSocket socket) {
  std::make_shared<PageConnection>(host, access, std::move(socket))->start();
}

}  // namespace kino
