#include "app/system/local_socket.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/messages/message.hpp"

namespace kino {
namespace {

constexpr int kRetryMs = 100;
constexpr int kBacklog = 16;

Error socket_error(msg::Id what) {
  return {Error::Kind::system, {what, std::generic_category().message(errno)}};
}

sockaddr_un address_of(const std::filesystem::path& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.native().copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

bool peer_is_this_user(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

// Waits until one of the poll() `events` occurs on the descriptor. Returns false at the deadline, or when
// `stopper` (may be -1) becomes readable.
bool wait_for(int descriptor, short events, int stopper, LocalConnection::Clock::time_point deadline) {
  using std::chrono::milliseconds;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(deadline - LocalConnection::Clock::now()).count();
    if (left <= 0) return false;
    std::array<pollfd, 2> waiting = {pollfd{.fd = descriptor, .events = events, .revents = 0},
                                     pollfd{.fd = stopper, .events = POLLIN, .revents = 0}};
    const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 || waiting[1].revents != 0) return false;
    return waiting[0].revents != 0;
  }
}

}  // namespace

bool fits_socket_address(const std::filesystem::path& socket) {
  return socket.native().size() < sizeof(sockaddr_un::sun_path);
}

std::optional<LocalConnection> LocalConnection::to(const std::filesystem::path& socket) {
  if (!fits_socket_address(socket)) return std::nullopt;
  Descriptor connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connection.fd < 0) return std::nullopt;
  const sockaddr_un address = address_of(socket);
  if (::connect(connection.fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      !peer_is_this_user(connection.fd)) {
    return std::nullopt;
  }
  return LocalConnection(std::move(connection), -1);
}

bool LocalConnection::read_exactly(char* data, std::size_t size, Clock::time_point deadline) const {
  while (size > 0) {
    if (!wait_for(connection_.fd, POLLIN, stopper_, deadline)) return false;
    const ssize_t got = ::recv(connection_.fd, data, size, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool LocalConnection::write_exactly(std::string_view text, Clock::time_point deadline) const {
  while (!text.empty()) {
    if (!wait_for(connection_.fd, POLLOUT, -1, deadline)) return false;
    const ssize_t sent = ::send(connection_.fd, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

Result<std::unique_ptr<LocalListener>> LocalListener::claim(const std::filesystem::path& socket) {
  if (!fits_socket_address(socket)) return Error{Error::Kind::system, msg::socket_path_too_long};
  // If two processes start at the same time, the lock decides which one listens. The kernel releases the lock
  // when its owner ends.
  const std::string lock_path = socket.string() + ".lock";
  Descriptor lock(::open(lock_path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.fd < 0) return socket_error(msg::socket_lock_not_created);
  if (::flock(lock.fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::unique_ptr<LocalListener>();
    return socket_error(msg::socket_lock_not_locked);
  }
  ::unlink(socket.c_str());
  Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  Descriptor stopper(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (listener.fd < 0 || stopper.fd < 0) return socket_error(msg::socket_not_created);
  const sockaddr_un address = address_of(socket);
  // The folder is private already; the mode protects a socket elsewhere (KINETOSCOPE_SOCKET).
  if (::fchmod(listener.fd, 0600) != 0 ||
      ::bind(listener.fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::chmod(socket.c_str(), 0600) != 0 || ::listen(listener.fd, kBacklog) != 0) {
    return socket_error(msg::socket_not_created);
  }
  return std::unique_ptr<LocalListener>(
      new LocalListener(socket, std::move(lock), std::move(listener), std::move(stopper)));
}

LocalListener::LocalListener(std::filesystem::path socket, Descriptor lock, Descriptor listener,
                             Descriptor stopper)
    : socket_(std::move(socket)),
      lock_(std::move(lock)),
      listener_(std::move(listener)),
      stopper_(std::move(stopper)) {}

LocalListener::~LocalListener() { ::unlink(socket_.c_str()); }

void LocalListener::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(stopper_.fd, &one, sizeof one);
}

void LocalListener::serve(const std::function<void(const LocalConnection&)>& visited,
                          const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::array<pollfd, 2> waiting = {pollfd{.fd = listener_.fd, .events = POLLIN, .revents = 0},
                                     pollfd{.fd = stopper_.fd, .events = POLLIN, .revents = 0}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return;
    if (stop.stop_requested() || waiting[1].revents != 0) return;
    if (waiting[0].revents == 0) continue;
    Descriptor client(::accept4(listener_.fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (client.fd >= 0) {
      if (peer_is_this_user(client.fd)) visited(LocalConnection(std::move(client), stopper_.fd));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      // Pause, since the connection remains in the queue and poll() would return at once.
      ::poll(&waiting[1], 1, kRetryMs);
    }
  }
}

}  // namespace kino
