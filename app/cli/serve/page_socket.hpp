// The WebSocket of a page.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/serve/page_message.hpp"
#include "app/cli/serve/serve_network.hpp"

namespace kino {

class PageSocket;

/// The receiver of a page's messages: its session.
class PageReceiver {
 public:
  PageReceiver() = default;
  PageReceiver(const PageReceiver&) = delete;
  PageReceiver& operator=(const PageReceiver&) = delete;
  virtual ~PageReceiver() = default;
  virtual void take_text(std::string_view text) = 0;
  /// A binary message: a piece of a file.
  virtual void take_bytes(std::string_view bytes) = 0;
  /// The page has gone; it may return if `returns`.
  virtual void detach(const PageSocket& page, bool returns) = 0;
};

/// The server, as a connection sees it. Outlives all connections.
class PageHost {
 public:
  PageHost() = default;
  PageHost(const PageHost&) = delete;
  PageHost& operator=(const PageHost&) = delete;
  virtual ~PageHost() = default;
  virtual net::io_context& io() = 0;
  /// Returns the number of open connections, of requests and of pages, which each connection counts up and
  /// down.
  virtual std::size_t& connections() = 0;
  virtual bool knows_token(std::string_view token) const = 0;
  /// Continues the session that the page names, or starts one. `message` is the hello without its secrets.
  /// Called once, after the hello was accepted.
  virtual void attach(const std::shared_ptr<PageSocket>& page, const PageHello& hello,
                      const std::string& message) = 0;
};

/// Exists while the page is connected, and until its last message was sent.
class PageSocket : public std::enable_shared_from_this<PageSocket> {
 public:
  PageSocket(PageHost& host, ServeStream stream);
  PageSocket(const PageSocket&) = delete;
  PageSocket& operator=(const PageSocket&) = delete;
  ~PageSocket() = default;

  /// Accepts the WebSocket and waits for the hello, for a limited time.
  void start(const ServeRequest& request);
  /// The messages that follow the hello are for this receiver; null: for none.
  void set_receiver(const std::shared_ptr<PageReceiver>& receiver) { receiver_ = receiver; }
  /// Sends a message; calls `sent` when it was sent, or at once if the page has gone.
  void send(bool text, std::vector<std::byte> content, std::function<void()> sent);
  void send(const nlohmann::json& message);
  /// Closes the connection after the messages that were sent before.
  void close(websocket::close_code code);
  /// Sends why the connection ends, and closes it. Calls `sent` of earlier messages at once.
  void end(std::string_view why, websocket::close_code code);

 private:
  struct Message {
    bool text = false;
    std::vector<std::byte> content;
    std::function<void()> sent;
  };

  void read_hello();
  void greet();
  void read();
  void write();
  void written(error_code code);
  void gone(bool returns);
  void forget_waiters();
  void limit_time(std::chrono::seconds time);

  PageHost& host_;
  CountedConnection counted_;
  websocket::stream<ServeStream> socket_;
  net::steady_timer timer_;  // of the hello, then of the message that is being written
  beast::flat_buffer buffer_;
  std::deque<Message> messages_;  // the first is being written
  std::optional<websocket::close_code> closing_;
  bool gone_ = false;
  std::weak_ptr<PageReceiver> receiver_;
};

}  // namespace kino
