#include "app/shell/single_instance.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/bookmarks/moment_link.hpp"
#include "app/system/enough_memory.hpp"

namespace kino {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kClientPatience{2000};
constexpr std::chrono::milliseconds kServerPatience{1000};
constexpr int kRetryMs = 100;
constexpr int kBacklog = 16;
constexpr std::size_t kHeaderSize = kInstanceMagic.size() + 4;
constexpr std::size_t kLongestPath = 4096;

Error system_error(const std::string& what) {
  return {Error::Kind::system, what + " (" + std::generic_category().message(errno) + ")"};
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// A file name for the display: ":0" and "host:10.0" become "_0" and "host_10.0".
std::string display_name() {
  std::string name = environment("DISPLAY");
  if (name.empty()) name = environment("WAYLAND_DISPLAY");
  if (name.empty()) name = "none";
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-'; },
      '_');
  return name.substr(name.size() > 48 ? name.size() - 48 : 0);
}

// Makes the folder for this user alone; false when it is, or could be, somebody else's.
bool make_private_folder(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder.parent_path(), code);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  if (status.st_uid != ::geteuid()) return false;
  return (status.st_mode & 0077U) == 0 || ::chmod(folder.c_str(), 0700) == 0;
}

std::filesystem::path cache_folder() {
  const std::string cache = environment("XDG_CACHE_HOME");
  if (cache.starts_with('/')) return std::filesystem::path(cache) / "kinetoscope";
  const std::string home = environment("HOME");
  return home.starts_with('/') ? std::filesystem::path(home) / ".cache" / "kinetoscope"
                               : std::filesystem::path();
}

bool fits_address(const std::filesystem::path& socket) {
  return socket.native().size() < sizeof(sockaddr_un::sun_path);
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

// Waits for the event; false at the deadline or when `stopper` (may be -1) becomes readable.
bool wait_for(int descriptor, short events, int stopper, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    std::array<pollfd, 2> waiting = {pollfd{.fd = descriptor, .events = events, .revents = 0},
                                     pollfd{.fd = stopper, .events = POLLIN, .revents = 0}};
    const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 || waiting[1].revents != 0) return false;
    return waiting[0].revents != 0;
  }
}

bool read_exactly(int from, char* data, std::size_t size, int stopper, Clock::time_point deadline) {
  while (size > 0) {
    if (!wait_for(from, POLLIN, stopper, deadline)) return false;
    const ssize_t got = ::recv(from, data, size, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_exactly(int to, std::string_view text, Clock::time_point deadline) {
  while (!text.empty()) {
    if (!wait_for(to, POLLOUT, -1, deadline)) return false;
    const ssize_t sent = ::send(to, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

Result<std::string> instance_message(std::span<const std::filesystem::path> files) {
  std::string payload;
  for (const std::filesystem::path& file : files) {
    std::error_code code;
    // A link names its file by itself.
    const std::filesystem::path path = is_link(file.native()) ? file : std::filesystem::absolute(file, code);
    if (code) return Error{Error::Kind::system, "the working directory is gone: " + code.message()};
    payload += path.native();
    payload += '\0';
  }
  // What the other side would refuse is not sent.
  if (auto paths = paths_from_payload(payload); !paths.ok()) return paths.error();
  std::string message(kInstanceMagic);
  for (unsigned shift = 0; shift < 32; shift += 8) {
    message += static_cast<char>(static_cast<unsigned char>(payload.size() >> shift));
  }
  return message + payload;
}

Result<std::vector<std::filesystem::path>> paths_from_payload(std::string_view payload) {
  const auto refused = [](const char* why) { return Error{Error::Kind::corrupt, why}; };
  if (payload.size() > kLargestInstancePayload) return refused("the message is too large");
  if (!payload.empty() && payload.back() != '\0') return refused("the message does not end with its path");
  std::vector<std::filesystem::path> paths;
  while (!payload.empty()) {
    const std::string_view path = payload.substr(0, payload.find('\0'));
    payload.remove_prefix(path.size() + 1);
    if ((!path.starts_with('/') && !is_link(path)) || path.size() >= kLongestPath)
      return refused("that is no absolute path");
    if (paths.size() == kMostInstancePaths) return refused("the message has too many paths");
    paths.emplace_back(path);
  }
  return paths;
}

Result<std::filesystem::path> instance_socket_path() {
  const std::string given = environment("KINETOSCOPE_SOCKET");
  if (given.starts_with('/')) return std::filesystem::path(given);
  std::vector<std::filesystem::path> folders;
  const std::string runtime = environment("XDG_RUNTIME_DIR");
  if (runtime.starts_with('/')) folders.push_back(std::filesystem::path(runtime) / "kinetoscope");
  const std::filesystem::path cache = cache_folder();
  if (!cache.empty()) folders.push_back(cache / "run");
  for (const std::filesystem::path& folder : folders) {
    std::filesystem::path socket = folder / (display_name() + ".sock");
    if (fits_address(socket) && make_private_folder(folder)) return socket;
  }
  return Error{Error::Kind::no_permission,
               "there is no private folder for a socket, so files open in windows of their own; set "
               "XDG_RUNTIME_DIR"};
}

bool hand_over(const std::filesystem::path& socket, std::span<const std::filesystem::path> files) {
  auto message = instance_message(files);
  if (!message.ok() || !fits_address(socket)) return false;
  const int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return false;
  const sockaddr_un address = address_of(socket);
  const Clock::time_point deadline = Clock::now() + kClientPatience;
  char answer = 0;
  const bool accepted =
      ::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      peer_is_this_user(connection) && write_exactly(connection, message.value(), deadline) &&
      read_exactly(connection, &answer, 1, -1, deadline) && answer == kInstanceAccepted;
  ::close(connection);
  return accepted;
}

InstanceServer::Descriptor::Descriptor(Descriptor&& other) noexcept
    : number_(std::exchange(other.number_, -1)) {}

InstanceServer::Descriptor& InstanceServer::Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

InstanceServer::Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Result<std::unique_ptr<InstanceServer>> InstanceServer::claim(const std::filesystem::path& socket) {
  if (!fits_address(socket)) return Error{Error::Kind::system, "the path of the socket is too long"};
  // Whoever holds the lock is the instance, so that of two that start together one waits for the other; the
  // kernel gives it back when its owner dies.
  const std::string lock_path = socket.string() + ".lock";
  Descriptor lock(::open(lock_path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.get() < 0) return system_error("the lock of the socket cannot be made");
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::unique_ptr<InstanceServer>();
    return system_error("the lock of the socket cannot be taken");
  }
  ::unlink(socket.c_str());
  Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  Descriptor stopper(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (listener.get() < 0 || stopper.get() < 0) return system_error("the socket cannot be made");
  const sockaddr_un address = address_of(socket);
  // The folder is private already; the mode guards a socket that KINETOSCOPE_SOCKET put elsewhere.
  if (::fchmod(listener.get(), 0600) != 0 ||
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::chmod(socket.c_str(), 0600) != 0 || ::listen(listener.get(), kBacklog) != 0) {
    return system_error("the socket cannot be made");
  }
  return std::unique_ptr<InstanceServer>(
      new InstanceServer(socket, std::move(lock), std::move(listener), std::move(stopper)));
}

InstanceServer::InstanceServer(std::filesystem::path socket, Descriptor lock, Descriptor listener,
                               Descriptor stopper)
    : socket_(std::move(socket)),
      lock_(std::move(lock)),
      listener_(std::move(listener)),
      stopper_(std::move(stopper)) {}

InstanceServer::~InstanceServer() {
  thread_.request_stop();
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(stopper_.get(), &one, sizeof one);
  if (thread_.joinable()) thread_.join();
  ::unlink(socket_.c_str());
}

void InstanceServer::start(Receiver received) {
  received_ = std::move(received);
  thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

void InstanceServer::serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::array<pollfd, 2> waiting = {pollfd{.fd = listener_.get(), .events = POLLIN, .revents = 0},
                                     pollfd{.fd = stopper_.get(), .events = POLLIN, .revents = 0}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return;
    if (stop.stop_requested() || waiting[1].revents != 0) return;
    if (waiting[0].revents == 0) continue;
    const Descriptor client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (client.get() >= 0) {
      enough_memory_for([&] { answer(client.get()); });  // else the client opens its files itself
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      // The connection stays in the queue; without a pause this would spin.
      ::poll(&waiting[1], 1, kRetryMs);
    }
  }
}

void InstanceServer::answer(int client) const {
  if (!peer_is_this_user(client)) return;
  const Clock::time_point deadline = Clock::now() + kServerPatience;
  std::array<char, kHeaderSize> header{};
  if (!read_exactly(client, header.data(), header.size(), stopper_.get(), deadline)) return;
  if (std::string_view(header.data(), kInstanceMagic.size()) != kInstanceMagic) return;
  std::size_t size = 0;
  for (std::size_t i = kHeaderSize; i-- > kInstanceMagic.size();) {
    size = size << 8 | static_cast<unsigned char>(header[i]);
  }
  if (size > kLargestInstancePayload) return;
  std::string payload(size, '\0');
  if (!read_exactly(client, payload.data(), size, stopper_.get(), deadline)) return;
  auto paths = paths_from_payload(payload);
  if (!paths.ok()) return;
  // A client that has given up opens the files itself.
  if (write_exactly(client, std::string_view(&kInstanceAccepted, 1), deadline)) {
    received_(std::move(paths).value());
  }
}

}  // namespace kino
