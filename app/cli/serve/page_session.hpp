// The session of a page: its process, and the messages between both.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/serve/page_socket.hpp"
#include "app/cli/serve/serve_access.hpp"
#include "app/cli/serve/serve_network.hpp"
#include "app/cli/serve/session_channel.hpp"
#include "app/cli/serve/session_process.hpp"

namespace kino {

class PageSession;

/// The owner of the sessions. Outlives them.
class SessionOwner {
 public:
  SessionOwner() = default;
  SessionOwner(const SessionOwner&) = delete;
  SessionOwner& operator=(const SessionOwner&) = delete;
  virtual ~SessionOwner() = default;
  virtual void end_process(int process) = 0;
  virtual void remove(const PageSession& session) = 0;
};

/// Remains for kDetachedMinutes without a page.
class PageSession : public PageReceiver, public std::enable_shared_from_this<PageSession> {
 public:
  static constexpr int kDetachedMinutes = 10;

  PageSession(SessionOwner& owner, net::io_context& io, SessionProcess process);

  const std::string& id() const { return id_; }
  bool attached() const { return page_ != nullptr; }
  /// Shows the session in a page, instead of its previous page.
  void attach(std::shared_ptr<PageSocket> page, const std::string& hello);
  void take_text(std::string_view text) override { pass(SessionMessage::Kind::text, text); }
  void take_bytes(std::string_view bytes) override { pass(SessionMessage::Kind::file, bytes); }
  void detach(const PageSocket& page, bool returns) override;
  /// Reads messages of the process until it ends.
  void read();
  void end();

 private:
  void pass(SessionMessage::Kind kind, std::string_view content);
  void read_content();
  void deliver();
  void process_ended();
  void write();

  SessionOwner& owner_;
  std::string id_ = random_token();
  int process_;
  net::local::stream_protocol::socket socket_;
  net::steady_timer detached_;
  std::shared_ptr<PageSocket> page_;
  std::array<std::byte, SessionMessage::kHeaderBytes> header_{};
  SessionMessage::Kind kind_ = SessionMessage::Kind::text;
  std::vector<std::byte> content_;
  std::deque<std::string> unread_;  // messages for the process; the first is being written
  std::size_t unread_bytes_ = 0;
  bool attaching_ = false;  // whether the process still sends for the previous page
  bool ended_ = false;      // whether the end was announced or requested
};

}  // namespace kino
