#include "app/cli/serve/session_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kino {
namespace {

using namespace std::string_view_literals;

constexpr int kSessionSocket = 3;
constexpr const char* kSessionVariable = "KINETOSCOPE_SESSION_SOCKET";
constexpr std::array kNotInherited = {
    "DISPLAY="sv, "WAYLAND_DISPLAY="sv, "XAUTHORITY="sv, "DBUS_SESSION_BUS_ADDRESS="sv,
    "VISUAL="sv,  "EDITOR="sv,          "BROWSER="sv};

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < all.size(); at += arguments.back().size() + 1)
    arguments.emplace_back(all.c_str() + at);
  return arguments;
}

std::vector<std::string> session_environment() {
  std::vector<std::string> variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable(*at);
    if (std::ranges::none_of(kNotInherited,
                             [&](std::string_view name) { return variable.starts_with(name); }))
      variables.emplace_back(variable);
  }
  variables.push_back(std::string(kSessionVariable) + "=" + std::to_string(kSessionSocket));
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<SessionProcess> start_session_process() {
  const auto failed = [](int code) {
    return Error{Error::Kind::system,
                 "the session cannot be started (" + std::generic_category().message(code) + ")"};
  };
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) return failed(errno);
  SessionProcess process{-1, Descriptor(pair[0])};
  // The session gets a duplicate without FD_CLOEXEC, with the number kSessionSocket.
  const Descriptor its(pair[1]);
  std::vector<std::string> arguments = own_arguments();
  std::vector<std::string> variables = session_environment();
  const std::vector<char*> argv = pointers_to(arguments);
  const std::vector<char*> envp = pointers_to(variables);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, its.fd, kSessionSocket);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // The session starts without blocked signals, whichever signals the server blocks. It has its own process
  // group, so that the programs that it starts, such as `report`, end with it.
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  const int code =
      ::posix_spawn(&process.id, "/proc/self/exe", &actions, &attributes, argv.data(), envp.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return failed(code);
  return process;
}

Descriptor take_session_socket() {
  const char* const given = std::getenv(kSessionVariable);
  if (given == nullptr || std::string_view(given) != std::to_string(kSessionSocket)) return {};
  ::unsetenv(kSessionVariable);
  ::fcntl(kSessionSocket, F_SETFD, FD_CLOEXEC);
  return Descriptor(kSessionSocket);
}

}  // namespace kino
