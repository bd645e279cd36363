#include "app/cli/serve/page_socket.hpp"

#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/cli/serve/session_channel.hpp"
#include "render/frame_writer.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostHelloBytes = 16384;
constexpr auto kHelloTime = std::chrono::seconds(10);
/// A page that needs longer to receive a frame is dropped.
constexpr auto kWriteTime = std::chrono::seconds(60);
constexpr auto kIdleTime = std::chrono::seconds(60);

/// On frames of a zooming timeline, level 6 needs 18 KB and 2.9 ms, and level 3 needs 22 KB and 1.9 ms.
/// Beast's usual memory level 4 takes twice the time of level 8.
websocket::permessage_deflate page_compression() {
  websocket::permessage_deflate deflate;
  deflate.server_enable = true;
  deflate.compLevel = 6;
  deflate.memLevel = 8;
  return deflate;
}

}  // namespace

PageSocket::PageSocket(PageHost& host, ServeStream stream)
    : host_(host), counted_(host.connections()), socket_(std::move(stream)), timer_(host.io()) {}

void PageSocket::start(const ServeRequest& request) {
  socket_.set_option(page_compression());
  socket_.set_option(websocket::stream_base::timeout{kHelloTime, kIdleTime, true});
  socket_.read_message_max(kMostHelloBytes);
  limit_time(kHelloTime);
  socket_.async_accept(request, [self = shared_from_this()](error_code code) {
    if (!code) self->read_hello();
  });
}

void PageSocket::limit_time(std::chrono::seconds time) {
  timer_.expires_after(time);
  timer_.async_wait([weak = weak_from_this()](error_code code) {
    const std::shared_ptr<PageSocket> self = weak.lock();
    if (!code && self) beast::get_lowest_layer(self->socket_).close();
  });
}

void PageSocket::read_hello() {
  socket_.async_read(buffer_, [self = shared_from_this()](error_code code, std::size_t /*bytes*/) {
    if (!code) self->greet();
  });
}

void PageSocket::greet() {
  timer_.cancel();
  const std::string text = beast::buffers_to_string(buffer_.data());
  buffer_.consume(buffer_.size());
  const std::optional<PageHello> hello = parse_hello(text);
  if (!hello || !host_.knows_token(hello->token)) return end("token", websocket::close_code::policy_error);
  if (hello->version != kFrameVersion) {
    send({{"t", "reload"}});
    close(websocket::close_code::normal);
    return;
  }
  nlohmann::json message = nlohmann::json::parse(text);
  message.erase("token");
  message.erase("session");
  socket_.read_message_max(SessionMessage::kMostFromPage);
  host_.attach(shared_from_this(), *hello, serve_text(message));
  read();
}

void PageSocket::read() {
  socket_.async_read(buffer_, [self = shared_from_this()](error_code code, std::size_t /*bytes*/) {
    if (code) {
      // A browser that leaves the page says so, and may then reset the connection. The session of a lost
      // connection remains for a while.
      const bool leaves = self->socket_.reason().code == websocket::close_code::going_away;
      const bool invalid = code == websocket::error::message_too_big;
      self->gone(!leaves && !invalid);
      return;
    }
    const std::shared_ptr<PageReceiver> receiver = self->receiver_.lock();
    if (receiver) {
      const std::string content = beast::buffers_to_string(self->buffer_.data());
      if (self->socket_.got_text()) {
        receiver->take_text(content);
      } else {
        receiver->take_bytes(content);
      }
    }
    self->buffer_.consume(self->buffer_.size());
    self->read();
  });
}

void PageSocket::gone(bool returns) {
  if (std::exchange(gone_, true)) return;
  timer_.cancel();
  // Aborts a write to a page that no longer receives. Until then, the write uses the first message.
  beast::get_lowest_layer(socket_).close();
  if (const std::shared_ptr<PageReceiver> receiver = receiver_.lock()) receiver->detach(*this, returns);
  forget_waiters();
}

void PageSocket::forget_waiters() {
  for (Message& message : messages_) {
    if (message.sent) net::post(host_.io(), std::exchange(message.sent, {}));
  }
}

void PageSocket::send(const nlohmann::json& message) {
  const std::string text = serve_text(message);
  const auto bytes = std::as_bytes(std::span(text));
  send(true, {bytes.begin(), bytes.end()}, {});
}

void PageSocket::send(bool text, std::vector<std::byte> content, std::function<void()> sent) {
  if (gone_ || closing_) {
    if (sent) net::post(host_.io(), std::move(sent));
    return;
  }
  messages_.push_back({text, std::move(content), std::move(sent)});
  if (messages_.size() == 1) write();
}

void PageSocket::write() {
  socket_.text(messages_.front().text);
  limit_time(kWriteTime);
  const auto& content = messages_.front().content;
  socket_.async_write(
      net::buffer(content.data(), content.size()),
      [self = shared_from_this()](error_code code, std::size_t /*bytes*/) { self->written(code); });
}

void PageSocket::written(error_code code) {
  timer_.cancel();
  if (gone_) return;
  if (code) return gone(true);
  const std::function<void()> sent = std::move(messages_.front().sent);
  messages_.pop_front();
  if (!messages_.empty()) {
    write();
  } else if (closing_) {
    socket_.async_close(*closing_, [self = shared_from_this()](error_code /*code*/) {});
  }
  if (sent) sent();
}

void PageSocket::close(websocket::close_code code) {
  if (gone_ || closing_) return;
  closing_ = code;
  if (messages_.empty()) socket_.async_close(code, [self = shared_from_this()](error_code /*code*/) {});
}

void PageSocket::end(std::string_view why, websocket::close_code code) {
  receiver_.reset();
  send({{"t", "end"}, {"why", std::string(why)}});
  close(code);
  forget_waiters();
}

}  // namespace kino
