#include "app/cli/serve/serve_server.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/serve/page_connection.hpp"
#include "app/cli/serve/page_session.hpp"
#include "app/cli/serve/page_socket.hpp"
#include "app/cli/serve/serve_access.hpp"
#include "app/cli/serve/serve_network.hpp"
#include "app/cli/serve/session_folder.hpp"
#include "app/cli/serve/session_process.hpp"

namespace kino {
namespace {

constexpr std::uint16_t kPortsTried = 100;
constexpr std::size_t kMostConnections = 256;
constexpr auto kRetryAccept = std::chrono::milliseconds(100);
constexpr int kEndTries = 100;
constexpr auto kEndPause = std::chrono::milliseconds(5);

/// Prevents the processes of sessions from inheriting a socket.
void close_on_exec(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

/// Waits for a limited time, since a process that reads a network drive may not end.
void wait_for_end(pid_t process) {
  for (int i = 0; i < kEndTries && ::waitpid(process, nullptr, WNOHANG) == 0; ++i)
    std::this_thread::sleep_for(kEndPause);
}

}  // namespace

/// Owns the listening sockets, the sessions and their processes. All members are used by the thread of run().
class ServeServer::Impl final : public PageHost, public SessionOwner {
 public:
  explicit Impl(const ServeServerOptions& options)
      : options_(options),
        access_{HostNames({options.address}, !is_loopback(options.address), options.host_names),
                options.base_path},
        tcp_(io_),
        local_(io_),
        retry_(io_),
        ended_(io_, SIGCHLD),
        stopped_(io_, SIGINT, SIGTERM) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() override;

  std::optional<Error> listen();
  std::uint16_t port() const { return port_; }
  void run();

  net::io_context& io() override { return io_; }
  std::size_t& connections() override { return connections_; }
  bool knows_token(std::string_view token) const override {
    return options_.token.empty() || equal_in_constant_time(options_.token, token);
  }
  void attach(const std::shared_ptr<PageSocket>& page, const PageHello& hello,
              const std::string& message) override;
  void end_process(int process) override {
    if (processes_.contains(process)) ::kill(-process, SIGTERM);
  }
  void remove(const PageSession& session) override {
    std::erase_if(sessions_,
                  [&](const std::shared_ptr<PageSession>& other) { return other.get() == &session; });
  }

 private:
  std::optional<Error> listen_on_port();
  std::optional<Error> listen_on_socket();
  template <class Acceptor>
  void accept(Acceptor& acceptor);
  void reap();
  bool make_room();

  ServeServerOptions options_;
  PageAccess access_;
  std::size_t connections_ = 0;  // before io_, whose handlers own connections
  net::io_context io_;
  net::ip::tcp::acceptor tcp_;
  net::local::stream_protocol::acceptor local_;
  net::steady_timer retry_;
  net::signal_set ended_;
  net::signal_set stopped_;
  std::uint16_t port_ = 0;
  bool owns_socket_ = false;
  std::vector<std::shared_ptr<PageSession>> sessions_;
  std::set<pid_t> processes_;  // started and not reaped
};

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
    if (!code) close_on_exec(tcp_.native_handle());
    // After a restart, the port is free at once. Linux does not share a port that is listened on.
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
    // The socket of a server that was killed is replaced. Others remain, such as those of other users.
    if (refused == net::error::connection_refused) ::unlink(path.c_str());
  }
  error_code code;
  const mode_t before = ::umask(0177);  // nobody else can connect between bind() and chmod()
  try {
    const net::local::stream_protocol::endpoint endpoint(path);
    local_.open(endpoint.protocol(), code);
    if (!code) close_on_exec(local_.native_handle());
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
    if (connections_ < kMostConnections) answer_connection(*this, access_, ServeSocket(std::move(socket)));
    accept(acceptor);
  });
}

void ServeServer::Impl::reap() {
  ended_.async_wait([this](error_code code, int /*signal*/) {
    if (code) return;
    std::erase_if(processes_, [](pid_t process) {
      const pid_t ended = ::waitpid(process, nullptr, WNOHANG);
      const bool has_ended = ended == process || (ended < 0 && errno == ECHILD);
      if (!has_ended) return false;
      ::kill(-process, SIGTERM);  // programs that a session has started, which could write to its folder
      remove_session_folder(process);
      return true;
    });
    reap();
  });
}

/// Returns whether another session may start. If there are too many, ends the first one without a page.
bool ServeServer::Impl::make_room() {
  if (sessions_.size() < kMostSessions) return true;
  const auto unused = std::ranges::find_if(
      sessions_, [](const std::shared_ptr<PageSession>& session) { return !session->attached(); });
  if (unused == sessions_.end()) return false;
  const std::shared_ptr<PageSession> session = *unused;
  session->end();
  return true;
}

void ServeServer::Impl::attach(const std::shared_ptr<PageSocket>& page, const PageHello& hello,
                               const std::string& message) {
  for (const std::shared_ptr<PageSession>& session : sessions_) {
    if (equal_in_constant_time(session->id(), hello.session)) {
      const std::shared_ptr<PageSession> found = session;
      return found->attach(page, message);
    }
  }
  if (!make_room()) return page->end("full", websocket::close_code::try_again_later);
  Result<SessionProcess> process = start_session_process();
  if (!process) {
    complain(process.error().what.str());
    return page->end("crash", websocket::close_code::internal_error);
  }
  processes_.insert(process.value().id);
  const auto session = std::make_shared<PageSession>(*this, io_, std::move(process).value());
  sessions_.push_back(session);
  session->attach(page, message);
  session->read();
}

void ServeServer::Impl::run() {
  choose_session_folders();
  if (tcp_.is_open()) accept(tcp_);
  if (local_.is_open()) accept(local_);
  reap();
  stopped_.async_wait([this](error_code code, int /*signal*/) {
    if (!code) io_.stop();
  });
  io_.run();
}

ServeServer::Impl::~Impl() {
  for (const pid_t process : processes_) ::kill(-process, SIGTERM);
  for (const pid_t process : processes_) {
    wait_for_end(process);
    remove_session_folder(process);
  }
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
