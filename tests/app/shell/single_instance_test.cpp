// Covers: single_instance
// Files are passed to a window that is already open; its socket accepts nothing else.
#include "app/shell/single_instance.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

using kino::InstanceServer;
using Paths = std::vector<std::filesystem::path>;

// A temporary folder with the path of a socket.
class SocketFolder : public kino_test::TemporaryFolder {
 public:
  std::filesystem::path socket() const { return path() / "test.sock"; }
};

std::unique_ptr<InstanceServer> claimed(const std::filesystem::path& socket) {
  auto server = InstanceServer::claim(socket);
  REQUIRE(server.ok());
  return std::move(server).value();
}

// The messages that a server received on its thread. The receiver shares ownership of the state, because a
// server may outlive this object.
class Received {
 public:
  InstanceServer::Receiver receiver() {
    return [state = state_](Paths paths) {
      const std::scoped_lock lock(state->mutex);
      state->messages.push_back(std::move(paths));
    };
  }
  std::vector<Paths> messages() {
    const std::scoped_lock lock(state_->mutex);
    return state_->messages;
  }
  // Waits, because the server answers a moment before it passes the paths on.
  std::vector<Paths> wait_for(std::size_t count) {
    CHECK(kino_test::eventually([&] { return messages().size() >= count; }));
    return messages();
  }

 private:
  struct State {
    std::mutex mutex;
    std::vector<Paths> messages;  // guarded by mutex
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

// Sends the bytes, and returns the answer up to the end of the connection.
std::string exchange(const std::filesystem::path& socket, std::string_view bytes) {
  const int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
  REQUIRE(::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t sent = ::send(connection, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  ::shutdown(connection, SHUT_WR);
  std::string answer;
  std::array<char, 64> buffer{};
  for (;;) {
    const ssize_t got = ::recv(connection, buffer.data(), buffer.size(), 0);
    if (got <= 0) break;
    answer.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(connection);
  return answer;
}

std::string message_of(std::string_view payload, std::uint32_t size) {
  std::string message(kino::kInstanceMagic);
  for (unsigned shift = 0; shift < 32; shift += 8) message += static_cast<char>(size >> shift & 255U);
  return message + std::string(payload);
}

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    had_ = std::getenv(name) != nullptr;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (had_) {
      ::setenv(name_, before_.c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::string before_;
  bool had_ = false;
};

}  // namespace

TEST_CASE("files are passed to the running instance as absolute paths, in their order") {
  const SocketFolder folder;
  const auto server = claimed(folder.socket());
  REQUIRE(server != nullptr);
  Received received;
  server->start(received.receiver());
  CHECK(kino::hand_over(folder.socket(), Paths{"/a/one.json", "relative file.json", "/日本.json"}));
  const auto messages = received.wait_for(1);
  CHECK(messages.front() ==
        Paths{"/a/one.json", std::filesystem::current_path() / "relative file.json", "/日本.json"});
  CHECK(kino::hand_over(folder.socket(), Paths{}));
  CHECK(received.wait_for(2).back().empty());
}

TEST_CASE("the caller opens the files if no instance listens") {
  const SocketFolder folder;
  CHECK_FALSE(kino::hand_over(folder.socket(), Paths{"/a"}));
}

TEST_CASE("there is one instance, and a new one can start after it has ended") {
  const SocketFolder folder;
  auto first = claimed(folder.socket());
  REQUIRE(first != nullptr);
  CHECK(claimed(folder.socket()) == nullptr);
  first.reset();
  CHECK_FALSE(std::filesystem::exists(folder.socket()));
  CHECK(claimed(folder.socket()) != nullptr);
}

TEST_CASE("a socket that a dead process left is replaced") {
  const SocketFolder folder;
  const int dead = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, folder.socket().c_str(), sizeof address.sun_path - 1);
  REQUIRE(::bind(dead, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  ::close(dead);
  CHECK_FALSE(kino::hand_over(folder.socket(), Paths{"/a"}));
  const auto server = claimed(folder.socket());
  REQUIRE(server != nullptr);
  Received received;
  server->start(received.receiver());
  CHECK(kino::hand_over(folder.socket(), Paths{"/a"}));
}

TEST_CASE("only the user has access to the socket") {
  const SocketFolder folder;
  const auto server = claimed(folder.socket());
  struct stat status {};
  REQUIRE(::lstat(folder.socket().c_str(), &status) == 0);
  CHECK(S_ISSOCK(status.st_mode));
  CHECK((status.st_mode & 0777U) == 0600U);
}

TEST_CASE("refuses messages that are malformed, too long, truncated or without paths") {
  const SocketFolder folder;
  const auto server = claimed(folder.socket());
  Received received;
  server->start(received.receiver());
  using namespace std::string_view_literals;
  const std::array messages = {
      std::string(),
      std::string("GET / HTTP/1.1\r\n\r\n"),
      std::string(kino::kInstanceMagic),
      message_of("/a\0"sv, 4),
      message_of("/a"sv, 2),
      message_of("a\0"sv, 2),
      message_of("\0"sv, 1),
      message_of("/a\0\0"sv, 4),
      message_of("/a\0"sv, 0xFFFFFFFFU),
      message_of(std::string(5000, '/') + '\0', 5001),
      std::string("KINOSCO2") + message_of("/a\0"sv, 3).substr(8),
  };
  for (const std::string& message : messages) {
    CAPTURE(message.substr(0, 40));
    CHECK(exchange(folder.socket(), message).empty());
  }
  CHECK(received.messages().empty());
  CHECK(exchange(folder.socket(), message_of("/a\0"sv, 3)) == std::string(1, kino::kInstanceAccepted));
  CHECK(received.wait_for(1).front() == Paths{"/a"});
}

TEST_CASE("the size and the number of payloads are bounded") {
  std::string many;
  for (std::size_t i = 0; i <= kino::kMostInstancePaths; ++i) many += std::string("/a") + '\0';
  CHECK_FALSE(kino::paths_from_payload(many).ok());
  many.resize(many.size() - 3);
  CHECK(kino::paths_from_payload(many).ok());
  CHECK_FALSE(kino::paths_from_payload(std::string(kino::kLargestInstancePayload + 1, '\0')).ok());
  CHECK_FALSE(kino::instance_message(Paths(kino::kMostInstancePaths + 1, "/a")).ok());
}

TEST_CASE("a silent client blocks neither other clients for long nor the window from closing") {
  const SocketFolder folder;
  auto server = claimed(folder.socket());
  Received received;
  server->start(received.receiver());
  const int silent = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, folder.socket().c_str(), sizeof address.sun_path - 1);
  REQUIRE(::connect(silent, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(kino::hand_over(folder.socket(), Paths{"/a"}));
  CHECK(received.wait_for(1).front() == Paths{"/a"});
  server.reset();
  ::close(silent);
}

TEST_CASE("places the socket in a private folder, with one socket per display") {
  const SocketFolder folder;
  const Variable none("KINETOSCOPE_SOCKET", "");
  const Variable runtime("XDG_RUNTIME_DIR", folder.path());
  const Variable display("DISPLAY", "host:10.0");
  auto path = kino::instance_socket_path();
  REQUIRE(path.ok());
  CHECK(path.value() == folder.path() / "kinetoscope" / "host_10.0.sock");
  struct stat status {};
  REQUIRE(::lstat((folder.path() / "kinetoscope").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0700U);
  const Variable given("KINETOSCOPE_SOCKET", "/tmp/some.sock");
  CHECK(kino::instance_socket_path().value() == "/tmp/some.sock");
}

TEST_CASE("the cache folder is used if the runtime folder cannot be used") {
  const SocketFolder folder;
  const Variable none("KINETOSCOPE_SOCKET", "");
  const Variable cache("XDG_CACHE_HOME", folder.path());
  const Variable display("DISPLAY", ":0");
  for (const std::string& unusable :
       {std::string(), std::string("relative"), std::string("/proc/nowhere"), "/" + std::string(200, 'x')}) {
    CAPTURE(unusable);
    const Variable runtime("XDG_RUNTIME_DIR", unusable);
    CHECK(kino::instance_socket_path().value() == folder.path() / "kinetoscope" / "run" / "_0.sock");
  }
  // A link in place of the folder is not followed, since it may lead anywhere.
  std::filesystem::create_directory(folder.path() / "runtime");
  std::filesystem::create_directory_symlink("/tmp", folder.path() / "runtime" / "kinetoscope");
  const Variable runtime("XDG_RUNTIME_DIR", (folder.path() / "runtime").string());
  CHECK(kino::instance_socket_path().value() == folder.path() / "kinetoscope" / "run" / "_0.sock");
}
