#include "app/cli/serve/serve_server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/version.hpp>
#include <boost/beast/websocket.hpp>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/serve/page_message.hpp"
#include "app/cli/serve/serve_access.hpp"
#include "app/cli/serve/serve_page.hpp"
#include "app/cli/serve/session_channel.hpp"
#include "app/cli/serve/session_process.hpp"
#include "render/frame_writer.hpp"

namespace kino {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;
using Json = nlohmann::json;
using Kind = SessionMessage::Kind;
using Socket = net::generic::stream_protocol::socket;
using Stream = beast::basic_stream<net::generic::stream_protocol>;
using Request = http::request<http::empty_body>;

constexpr std::uint16_t kPortsTried = 100;
constexpr std::size_t kMostConnections = 256;
constexpr std::uint32_t kMostHeaderBytes = 8192;
constexpr std::size_t kMostHelloBytes = 16384;
/// Maximum size of the messages of a page that its session has not read yet.
constexpr std::size_t kMostUnreadBytes = std::size_t{4} << 20;
constexpr auto kRequestTime = std::chrono::seconds(10);
/// A page that needs longer to receive a frame is dropped.
constexpr auto kWriteTime = std::chrono::seconds(60);
constexpr auto kIdleTime = std::chrono::seconds(60);
constexpr auto kRetryAccept = std::chrono::milliseconds(100);

std::string to_text(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Prevents the processes of sessions from inheriting a socket.
void close_on_exec(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

void replace_first(std::string& text, std::string_view before, std::string_view after) {
  if (const std::size_t at = text.find(before); at != std::string::npos)
    text.replace(at, before.size(), after);
}

/// Returns the page with the headers that restrict it to its own script and connection.
http::response<http::string_body> page_response(const Request& request) {
  http::response<http::string_body> response{http::status::ok, request.version()};
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
                   "; base-uri 'none'; form-action 'none'; frame-ancestors 'self'");
  response.set("Cross-Origin-Opener-Policy", "same-origin");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  if (request.method() == http::verb::head) {
    response.content_length(page.size());
  } else {
    response.body() = std::move(page);
  }
  return response;
}

http::response<http::string_body> text_response(const Request& request, http::status status,
                                                std::string_view text) {
  http::response<http::string_body> response{status, request.version()};
  response.set(http::field::content_type, "text/plain; charset=utf-8");
  response.body() = std::string(text) + "\n";
  return response;
}

}  // namespace

/// Owns the listening sockets, the sessions and their processes. All members are used by the thread of run().
class ServeServer::Impl {
 public:
  class Connection;
  class Page;
  class Session;

  explicit Impl(const ServeServerOptions& options)
      : options_(options),
        names_({options.address}, !is_loopback(options.address)),
        tcp_(io_),
        local_(io_),
        retry_(io_),
        ended_(io_, SIGCHLD),
        stopped_(io_, SIGINT, SIGTERM) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  std::optional<Error> listen();
  std::uint16_t port() const { return port_; }
  void run();

  net::io_context& io() { return io_; }
  const HostNames& names() const { return names_; }
  bool knows_token(std::string_view token) const {
    return options_.token.empty() || equal_in_constant_time(options_.token, token);
  }
  std::size_t& connections() { return connections_; }

  /// Continues the session that the page names, or starts one.
  void attach(const std::shared_ptr<Page>& page, const PageHello& hello, const std::string& message);
  void remove(const Session& session);
  void end_process(pid_t process) const {
    if (processes_.contains(process)) ::kill(process, SIGTERM);
  }

 private:
  std::optional<Error> listen_on_port();
  std::optional<Error> listen_on_socket();
  template <class Acceptor>
  void accept(Acceptor& acceptor);
  void reap();
  bool make_room();

  ServeServerOptions options_;
  HostNames names_;
  std::size_t connections_ = 0;  // before io_, whose handlers own connections
  net::io_context io_;
  net::ip::tcp::acceptor tcp_;
  net::local::stream_protocol::acceptor local_;
  net::steady_timer retry_;
  net::signal_set ended_;
  net::signal_set stopped_;
  std::uint16_t port_ = 0;
  bool owns_socket_ = false;
  std::vector<std::shared_ptr<Session>> sessions_;
  std::set<pid_t> processes_;  // started and not reaped
};

/// The WebSocket of a page.
class ServeServer::Impl::Page : public std::enable_shared_from_this<Page> {
 public:
  Page(Impl& server, Stream stream) : server_(server), socket_(std::move(stream)), timer_(server.io()) {
    ++server_.connections();
  }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  ~Page() { --server_.connections(); }

  void start(Request request);
  /// Sends a message; calls `sent` when it was sent, or at once if the page has gone.
  void send(bool text, std::vector<std::byte> content, std::function<void()> sent);
  void send(const Json& message);
  /// Closes the connection after the messages that were sent before.
  void close(websocket::close_code code);

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
  void gone(bool returns);
  void limit_time(std::chrono::seconds time);

  Impl& server_;
  websocket::stream<Stream> socket_;
  net::steady_timer timer_;  // time limit of the hello, then of the message being written
  beast::flat_buffer buffer_;
  std::deque<Message> messages_;  // the first is being written
  std::optional<websocket::close_code> closing_;
  bool gone_ = false;
  std::weak_ptr<Session> session_;
  friend class Session;
};

/// A session and its process.
class ServeServer::Impl::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Impl& server, SessionProcess process)
      : server_(server), process_(process.id), socket_(server.io()), detached_(server.io()) {
    socket_.assign(net::local::stream_protocol(), process.socket.release());
  }

  const std::string& id() const { return id_; }
  bool attached() const { return page_ != nullptr; }
  /// Shows the session in a page, instead of its previous page.
  void attach(std::shared_ptr<Page> page, const std::string& hello);
  /// Called when the page has gone. Ends the session unless the page may return (`returns`).
  void detach(const Page& page, bool returns);
  /// Passes a message to the process.
  void pass(Kind kind, std::string_view content);
  /// Reads messages of the process until it ends.
  void read();
  void end();

 private:
  void read_content();
  void deliver();
  void process_ended();
  void write();

  Impl& server_;
  std::string id_ = random_token();
  pid_t process_;
  net::local::stream_protocol::socket socket_;
  net::steady_timer detached_;
  std::shared_ptr<Page> page_;
  std::array<std::byte, SessionMessage::kHeaderBytes> header_{};
  Kind kind_ = Kind::text;
  std::vector<std::byte> content_;
  std::deque<std::string> unread_;  // messages for the process; the first is being written
  std::size_t unread_bytes_ = 0;
  bool attaching_ = false;  // whether the process still sends for the previous page
  bool ended_ = false;      // whether the end was announced or requested
};

/// A connection until its request is answered or becomes a WebSocket.
class ServeServer::Impl::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Impl& server, Socket socket) : server_(server), stream_(std::move(socket)) {
    ++server_.connections();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { --server_.connections(); }

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
  void answer(Request request);
  void respond(http::response<http::string_body> response);

  Impl& server_;
  Stream stream_;
  beast::flat_buffer buffer_{2 * std::size_t{kMostHeaderBytes}};
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> response_;
};

void ServeServer::Impl::Connection::answer(Request request) {
  const std::string host(request[http::field::host]);
  if (request.count(http::field::host) != 1 || !server_.names().allow(host)) {
    respond(
        text_response(request, http::status::forbidden,
                      "This server does not answer for this host name. Open it as 127.0.0.1 or localhost."));
    return;
  }
  const std::string target(request.target());
  const std::string path = target.substr(0, target.find('?'));
  if (path == "/session" && websocket::is_upgrade(request)) {
    if (request.count(http::field::origin) != 1 ||
        !is_same_origin(std::string(request[http::field::origin]), host)) {
      respond(
          text_response(request, http::status::forbidden, "Pages of other servers are not allowed here."));
      return;
    }
    stream_.expires_never();
    std::make_shared<Page>(server_, std::move(stream_))->start(std::move(request));
    return;
  }
  const bool reads = request.method() == http::verb::get || request.method() == http::verb::head;
  if (!reads) {
    respond(text_response(request, http::status::method_not_allowed, "Only GET and HEAD are allowed."));
  } else if (path != "/") {
    respond(text_response(request, http::status::not_found, "There is no such page."));
  } else {
    respond(page_response(request));
  }
}

void ServeServer::Impl::Connection::respond(http::response<http::string_body> response) {
  response_ = std::move(response);
  response_.set(http::field::cache_control, "no-store");
  response_.set("X-Content-Type-Options", "nosniff");
  response_.set("Referrer-Policy", "no-referrer");
  response_.keep_alive(false);
  if (!response_.has_content_length()) response_.prepare_payload();
  http::async_write(stream_, response_,
                    [self = shared_from_this()](error_code /*code*/, std::size_t /*bytes*/) {
                      error_code ignored;
                      self->stream_.socket().shutdown(Socket::shutdown_send, ignored);
                    });
}

void ServeServer::Impl::Page::start(Request request) {
  websocket::permessage_deflate deflate;
  deflate.server_enable = true;
  deflate.compLevel = 3;
  socket_.set_option(deflate);
  socket_.set_option(websocket::stream_base::timeout{kRequestTime, kIdleTime, true});
  socket_.read_message_max(kMostHelloBytes);
  limit_time(std::chrono::duration_cast<std::chrono::seconds>(kRequestTime));
  socket_.async_accept(request, [self = shared_from_this()](error_code code) {
    if (!code) self->read_hello();
  });
}

void ServeServer::Impl::Page::limit_time(std::chrono::seconds time) {
  timer_.expires_after(time);
  timer_.async_wait([weak = weak_from_this()](error_code code) {
    const std::shared_ptr<Page> self = weak.lock();
    if (!code && self) beast::get_lowest_layer(self->socket_).close();
  });
}

void ServeServer::Impl::Page::read_hello() {
  socket_.async_read(buffer_, [self = shared_from_this()](error_code code, std::size_t /*bytes*/) {
    if (!code) self->greet();
  });
}

void ServeServer::Impl::Page::greet() {
  timer_.cancel();
  const std::string text = beast::buffers_to_string(buffer_.data());
  buffer_.consume(buffer_.size());
  const std::optional<PageHello> hello = parse_hello(text);
  if (!hello || !server_.knows_token(hello->token)) {
    send({{"t", "end"}, {"why", "token"}});
    close(websocket::close_code::policy_error);
    return;
  }
  if (hello->version != kFrameVersion) {
    send({{"t", "reload"}});
    close(websocket::close_code::normal);
    return;
  }
  Json message = Json::parse(text);
  message.erase("token");
  message.erase("session");
  socket_.read_message_max(SessionMessage::kMostFromPage);
  server_.attach(shared_from_this(), *hello, to_text(message));
  read();
}

void ServeServer::Impl::Page::read() {
  socket_.async_read(buffer_, [self = shared_from_this()](error_code code, std::size_t /*bytes*/) {
    if (code) {
      // A browser that leaves the page closes with going_away. If the connection is lost, the session remains
      // for a while.
      const bool leaves = code == websocket::error::closed &&
                          self->socket_.reason().code == websocket::close_code::going_away;
      const bool invalid = code == websocket::error::message_too_big;
      self->gone(!leaves && !invalid);
      return;
    }
    const std::shared_ptr<Session> session = self->session_.lock();
    if (session && self->socket_.got_text())
      session->pass(Kind::text, beast::buffers_to_string(self->buffer_.data()));
    self->buffer_.consume(self->buffer_.size());
    self->read();
  });
}

void ServeServer::Impl::Page::gone(bool returns) {
  if (std::exchange(gone_, true)) return;
  timer_.cancel();
  if (const std::shared_ptr<Session> session = session_.lock()) session->detach(*this, returns);
  for (Message& message : std::exchange(messages_, {})) {
    if (message.sent) net::post(server_.io(), std::move(message.sent));
  }
}

void ServeServer::Impl::Page::send(const Json& message) {
  const std::string text = to_text(message);
  const auto bytes = std::as_bytes(std::span(text));
  send(true, {bytes.begin(), bytes.end()}, {});
}

void ServeServer::Impl::Page::send(bool text, std::vector<std::byte> content, std::function<void()> sent) {
  if (gone_ || closing_) {
    if (sent) net::post(server_.io(), std::move(sent));
    return;
  }
  messages_.push_back({text, std::move(content), std::move(sent)});
  if (messages_.size() == 1) write();
}

void ServeServer::Impl::Page::write() {
  socket_.text(messages_.front().text);
  limit_time(std::chrono::duration_cast<std::chrono::seconds>(kWriteTime));
  const auto& content = messages_.front().content;
  socket_.async_write(net::buffer(content.data(), content.size()),
                      [self = shared_from_this()](error_code code, std::size_t /*bytes*/) {
                        self->timer_.cancel();
                        if (self->gone_) return;
                        if (code) return self->gone(true);
                        const std::function<void()> sent = std::move(self->messages_.front().sent);
                        self->messages_.pop_front();
                        if (!self->messages_.empty()) {
                          self->write();
                        } else if (self->closing_) {
                          self->socket_.async_close(*self->closing_, [self](error_code /*code*/) {});
                        }
                        if (sent) sent();
                      });
}

void ServeServer::Impl::Page::close(websocket::close_code code) {
  if (gone_ || closing_) return;
  closing_ = code;
  limit_time(std::chrono::duration_cast<std::chrono::seconds>(kRequestTime));
  if (messages_.empty()) socket_.async_close(code, [self = shared_from_this()](error_code /*code*/) {});
}

void ServeServer::Impl::Session::attach(std::shared_ptr<Page> page, const std::string& hello) {
  detached_.cancel();
  if (const std::shared_ptr<Page> previous = std::exchange(page_, std::move(page))) {
    previous->session_.reset();
    previous->send({{"t", "end"}, {"why", "moved"}});
    previous->close(websocket::close_code::normal);
  }
  page_->session_ = shared_from_this();
  page_->send({{"t", "session"}, {"id", id_}});
  attaching_ = true;
  pass(Kind::attach, hello);
}

void ServeServer::Impl::Session::detach(const Page& page, bool returns) {
  if (page_.get() != &page) return;
  page_.reset();
  if (!returns) return end();
  pass(Kind::detach, {});
  detached_.expires_after(std::chrono::minutes(kDetachedMinutes));
  detached_.async_wait([weak = weak_from_this()](error_code code) {
    const std::shared_ptr<Session> self = weak.lock();
    if (!code && self && !self->attached()) self->end();
  });
}

void ServeServer::Impl::Session::pass(Kind kind, std::string_view content) {
  if (ended_) return;
  if (unread_bytes_ + content.size() > kMostUnreadBytes) return end();
  const auto header = SessionMessage::header(kind, content.size());
  std::string message(reinterpret_cast<const char*>(header.data()), header.size());
  message += content;
  unread_bytes_ += message.size();
  unread_.push_back(std::move(message));
  if (unread_.size() == 1) write();
}

void ServeServer::Impl::Session::write() {
  net::async_write(socket_, net::buffer(unread_.front()),
                   [self = shared_from_this()](error_code code, std::size_t /*bytes*/) {
                     if (code) return;  // the reader notices the end
                     self->unread_bytes_ -= self->unread_.front().size();
                     self->unread_.pop_front();
                     if (!self->unread_.empty()) self->write();
                   });
}

void ServeServer::Impl::Session::read() {
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

void ServeServer::Impl::Session::read_content() {
  net::async_read(socket_, net::buffer(content_.data(), content_.size()),
                  [self = shared_from_this()](error_code code, std::size_t /*bytes*/) {
                    if (code) return self->process_ended();
                    self->deliver();
                  });
}

/// Passes a message of the process to the page. Reads the next message only after this one was sent, so that
/// a slow page slows down only its own session.
void ServeServer::Impl::Session::deliver() {
  if (kind_ == Kind::end) ended_ = true;
  if (kind_ == Kind::attach) attaching_ = false;
  if (page_ == nullptr || attaching_ || kind_ == Kind::attach) return read();
  page_->send(kind_ != Kind::frame, std::exchange(content_, {}),
              [self = shared_from_this()] { self->read(); });
}

void ServeServer::Impl::Session::process_ended() {
  if (const std::shared_ptr<Page> page = std::exchange(page_, nullptr)) {
    page->session_.reset();
    if (!ended_) page->send({{"t", "end"}, {"why", "crash"}});
    page->close(websocket::close_code::normal);
  }
  end();
}

void ServeServer::Impl::Session::end() {
  ended_ = true;
  error_code ignored;
  socket_.close(ignored);
  detached_.cancel();
  server_.end_process(process_);
  if (const std::shared_ptr<Page> page = std::exchange(page_, nullptr)) {
    page->session_.reset();
    page->close(websocket::close_code::policy_error);
  }
  server_.remove(*this);
}

std::optional<Error> ServeServer::Impl::listen() {
  return options_.socket.empty() ? listen_on_port() : listen_on_socket();
}

std::optional<Error> ServeServer::Impl::listen_on_port() {
  error_code code;
  const net::ip::address address = net::ip::make_address(options_.address, code);
  if (code)
    return Error{Error::Kind::not_found, "--host must be an address of this machine, such as 127.0.0.1"};
  const std::uint16_t first = options_.port != 0 ? options_.port : kFirstPort;
  const std::uint16_t last = options_.port != 0 ? options_.port : kFirstPort + kPortsTried;
  for (std::uint32_t port = first; port <= last; ++port) {
    const net::ip::tcp::endpoint endpoint(address, static_cast<std::uint16_t>(port));
    tcp_.open(endpoint.protocol(), code);
    // With SO_REUSEADDR, the port can be used immediately after a restart. Linux still rejects a port on
    // which another process listens.
    if (!code) tcp_.set_option(net::socket_base::reuse_address(true), code);
    if (!code) tcp_.bind(endpoint, code);
    if (!code) tcp_.listen(net::socket_base::max_listen_connections, code);
    if (!code) {
      port_ = tcp_.local_endpoint().port();
      return std::nullopt;
    }
    error_code ignored;
    tcp_.close(ignored);
  }
  return Error{Error::Kind::system, "the port cannot be used (" + code.message() + ")"};
}

std::optional<Error> ServeServer::Impl::listen_on_socket() {
  const std::string path = options_.socket.string();
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) == 0) {
    if (!S_ISSOCK(facts.st_mode))
      return Error{Error::Kind::not_a_file, "this file exists and is not a socket"};
    net::local::stream_protocol::socket probe(io_);
    error_code refused;
    probe.connect(path, refused);
    if (!refused) return Error{Error::Kind::system, "another program already serves on this socket"};
    ::unlink(path.c_str());
  }
  error_code code;
  const mode_t before = ::umask(0177);  // nobody else can connect between bind() and chmod()
  try {
    const net::local::stream_protocol::endpoint endpoint(path);
    local_.open(endpoint.protocol(), code);
    if (!code) local_.bind(endpoint, code);
  } catch (const boost::system::system_error& error) {  // the path is too long
    code = error.code();
  }
  ::umask(before);
  if (!code) {
    owns_socket_ = true;
    ::chmod(path.c_str(), 0600);
    local_.listen(net::socket_base::max_listen_connections, code);
  }
  if (code) return Error{Error::Kind::system, "the socket cannot be made (" + code.message() + ")"};
  return std::nullopt;
}

template <class Acceptor>
void ServeServer::Impl::accept(Acceptor& acceptor) {
  acceptor.async_accept([this, &acceptor](error_code code, typename Acceptor::protocol_type::socket socket) {
    if (code) {  // such as too many open files
      retry_.expires_after(kRetryAccept);
      retry_.async_wait([this, &acceptor](error_code stopped) {
        if (!stopped) accept(acceptor);
      });
      return;
    }
    close_on_exec(socket.native_handle());
    if constexpr (std::is_same_v<Acceptor, net::ip::tcp::acceptor>) {
      error_code ignored;
      socket.set_option(net::ip::tcp::no_delay(true), ignored);
    }
    if (connections_ < kMostConnections)
      std::make_shared<Connection>(*this, Socket(std::move(socket)))->start();
    accept(acceptor);
  });
}

void ServeServer::Impl::reap() {
  ended_.async_wait([this](error_code code, int /*signal*/) {
    if (code) return;
    std::erase_if(processes_, [](pid_t process) {
      const pid_t ended = ::waitpid(process, nullptr, WNOHANG);
      return ended == process || (ended < 0 && errno == ECHILD);
    });
    reap();
  });
}

/// Returns whether another session may start. If too many sessions run, ends the first session without a
/// page.
bool ServeServer::Impl::make_room() {
  if (sessions_.size() < kMostSessions) return true;
  const auto unused = std::ranges::find_if(
      sessions_, [](const std::shared_ptr<Session>& session) { return !session->attached(); });
  if (unused == sessions_.end()) return false;
  const std::shared_ptr<Session> session = *unused;
  session->end();
  return true;
}

void ServeServer::Impl::attach(const std::shared_ptr<Page>& page, const PageHello& hello,
                               const std::string& message) {
  for (const std::shared_ptr<Session>& session : sessions_) {
    if (equal_in_constant_time(session->id(), hello.session)) {
      const std::shared_ptr<Session> found = session;
      return found->attach(page, message);
    }
  }
  if (!make_room()) {
    page->send({{"t", "end"}, {"why", "full"}});
    page->close(websocket::close_code::try_again_later);
    return;
  }
  Result<SessionProcess> process = start_session_process();
  if (!process) {
    complain(process.error().what.str());
    page->send({{"t", "end"}, {"why", "crash"}});
    page->close(websocket::close_code::internal_error);
    return;
  }
  processes_.insert(process.value().id);
  const auto session = std::make_shared<Session>(*this, std::move(process).value());
  sessions_.push_back(session);
  session->attach(page, message);
  session->read();
}

void ServeServer::Impl::remove(const Session& session) {
  std::erase_if(sessions_, [&](const std::shared_ptr<Session>& other) { return other.get() == &session; });
}

void ServeServer::Impl::run() {
  if (tcp_.is_open()) {
    close_on_exec(tcp_.native_handle());
    accept(tcp_);
  }
  if (local_.is_open()) {
    close_on_exec(local_.native_handle());
    accept(local_);
  }
  reap();
  stopped_.async_wait([this](error_code code, int /*signal*/) {
    if (!code) io_.stop();
  });
  io_.run();
}

ServeServer::Impl::~Impl() {
  for (const pid_t process : processes_) ::kill(process, SIGTERM);
  if (owns_socket_) ::unlink(options_.socket.c_str());
  // Handlers own pages and sessions, which use the members.
  sessions_.clear();
}

ServeServer::ServeServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ServeServer::~ServeServer() = default;

Result<std::unique_ptr<ServeServer>> ServeServer::listen(const ServeServerOptions& options) {
  auto impl = std::make_unique<Impl>(options);
  if (const std::optional<Error> error = impl->listen()) return *error;
  return std::unique_ptr<ServeServer>(new ServeServer(std::move(impl)));
}

std::uint16_t ServeServer::port() const { return impl_->port(); }
void ServeServer::run() { impl_->run(); }

}  // namespace kino
