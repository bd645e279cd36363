#include "app/cli/serve/page_session.hpp"

#include <chrono>
#include <utility>

namespace kino {
namespace {

/// Largest total size of the messages of a page that its session has not read.
constexpr std::size_t kMostUnreadBytes = std::size_t{4} << 20;

}  // namespace

PageSession::PageSession(SessionOwner& owner, net::io_context& io, SessionProcess process)
    : owner_(owner), process_(process.id), socket_(io), detached_(io) {
  socket_.assign(net::local::stream_protocol(), process.socket.release());
}

void PageSession::attach(std::shared_ptr<PageSocket> page, const std::string& hello) {
  detached_.cancel();
  // The previous page may no longer receive, so this session does not wait for its frames.
  if (const std::shared_ptr<PageSocket> previous = std::exchange(page_, std::move(page)))
    previous->end("moved", websocket::close_code::normal);
  page_->set_receiver(shared_from_this());
  page_->send({{"t", "session"}, {"id", id_}});
  attaching_ = true;
  pass(SessionMessage::Kind::attach, hello);
}

void PageSession::detach(const PageSocket& page, bool returns) {
  if (page_.get() != &page) return;
  page_.reset();
  if (!returns) return end();
  pass(SessionMessage::Kind::detach, {});
  detached_.expires_after(std::chrono::minutes(kDetachedMinutes));
  detached_.async_wait([weak = weak_from_this()](error_code code) {
    const std::shared_ptr<PageSession> self = weak.lock();
    if (!code && self && !self->attached()) self->end();
  });
}

void PageSession::pass(SessionMessage::Kind kind, std::string_view content) {
  if (ended_) return;
  if (unread_bytes_ + content.size() > kMostUnreadBytes) return end();
  const auto header = SessionMessage::header(kind, content.size());
  std::string message(reinterpret_cast<const char*>(header.data()), header.size());
  message += content;
  unread_bytes_ += message.size();
  unread_.push_back(std::move(message));
  if (unread_.size() == 1) write();
}

void PageSession::write() {
  net::async_write(socket_, net::buffer(unread_.front()),
                   [self = shared_from_this()](error_code code, std::size_t /*bytes*/) {
                     if (code) return;  // the reader notices the end
                     self->unread_bytes_ -= self->unread_.front().size();
                     self->unread_.pop_front();
                     if (!self->unread_.empty()) self->write();
                   });
}

void PageSession::read() {
  net::async_read(socket_, net::buffer(header_.data(), header_.size()),
                  [self = shared_from_this()](error_code code, std::size_t /*bytes*/) {
                    if (code) return self->process_ended();
                    const auto header =
                        SessionMessage::parse(self->header_, SessionMessage::kMostFromSession);
                    if (!header) return self->process_ended();
                    self->kind_ = header->kind;
                    self->content_.resize(header->size);
                    self->read_content();
                  });
}

void PageSession::read_content() {
  net::async_read(socket_, net::buffer(content_.data(), content_.size()),
                  [self = shared_from_this()](error_code code, std::size_t /*bytes*/) {
                    if (code) return self->process_ended();
                    self->deliver();
                  });
}

/// Passes a message of the process to the page. Reads the next one when it was sent, so that a slow page
/// slows down its own session only.
void PageSession::deliver() {
  if (kind_ == SessionMessage::Kind::end) ended_ = true;
  if (kind_ == SessionMessage::Kind::attach) attaching_ = false;
  if (page_ == nullptr || attaching_ || kind_ == SessionMessage::Kind::attach) return read();
  const bool text = kind_ != SessionMessage::Kind::frame && kind_ != SessionMessage::Kind::file;
  page_->send(text, std::exchange(content_, {}), [self = shared_from_this()] { self->read(); });
}

void PageSession::process_ended() {
  if (const std::shared_ptr<PageSocket> page = std::exchange(page_, nullptr)) {
    page->set_receiver(nullptr);
    if (!ended_) page->send({{"t", "end"}, {"why", "crash"}});
    page->close(websocket::close_code::normal);
  }
  end();
}

void PageSession::end() {
  ended_ = true;
  error_code ignored;
  socket_.close(ignored);
  detached_.cancel();
  owner_.end_process(process_);
  if (const std::shared_ptr<PageSocket> page = std::exchange(page_, nullptr)) {
    page->set_receiver(nullptr);
    page->close(websocket::close_code::policy_error);
  }
  owner_.remove(*this);
}

}  // namespace kino
