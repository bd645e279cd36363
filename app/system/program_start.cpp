#include "app/system/program_start.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <span>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/platform/descriptor.hpp"
#include "core/base/platform/file_io.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace kino {
namespace {

constexpr std::chrono::milliseconds kChildPoll{100};

constexpr std::chrono::milliseconds kOutputPoll{100};
constexpr std::size_t kMostOutput = 1 << 20;

class SpawnActions {
 public:
  SpawnActions() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Starts a program and returns its process id; -1 if the program cannot be run.
pid_t spawn(const std::vector<std::string>& command, SpawnActions& actions,
            const posix_spawnattr_t* attributes) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int failed =
      ::posix_spawn(&child, command.front().c_str(), actions.get(), attributes, arguments.data(), environ);
  return failed == 0 ? child : -1;
}

/// Reads everything that the program prints until it closes its output; returns false if stopped.
bool read_until_closed(int input, const std::stop_token& stop, std::string& text) {
  std::array<char, 4096> buffer{};
  while (!stop.stop_requested()) {
    const auto arrived = read_available(input, std::as_writable_bytes(std::span(buffer)), kOutputPoll);
    if (!arrived) return true;
    if (!arrived.value()) continue;
    if (*arrived.value() == 0) return true;
    if (text.size() < kMostOutput) text.append(buffer.data(), *arrived.value());
  }
  return false;
}

int exit_code_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::optional<std::string> find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  return find_program(name, path != nullptr ? path : "");
}

std::optional<std::string> find_program(std::string_view name, std::string_view path_variable) {
  std::string_view rest = path_variable;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string_view folder = rest.substr(0, colon);
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    // Skip relative folders: they would run programs from the working directory.
    if (!folder.starts_with('/')) continue;
    std::string program = std::string(folder) + "/" + std::string(name);
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

bool run_program(const std::vector<std::string>& command, const std::stop_token& stop) {
  SpawnActions actions;
  posix_spawnattr_t attributes{};
  ::posix_spawnattr_init(&attributes);
  // Use a session of its own, so that the program's window remains when our terminal is closed.
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  const pid_t child = spawn(command, actions, &attributes);
  ::posix_spawnattr_destroy(&attributes);
  if (child < 0) return false;
  // Reap the child here. If our program ends first, init does it.
  int status = 0;
  while (!stop.stop_requested()) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended < 0 && errno != EINTR) return false;
    std::this_thread::sleep_for(kChildPoll);
  }
  return true;
}

std::optional<ProgramResult> run_for_output(const std::vector<std::string>& command,
                                            const std::stop_token& stop, ProgramOutput read) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  const Descriptor input(ends[0]);
  Descriptor output(ends[1]);
  SpawnActions actions;
  ::posix_spawn_file_actions_adddup2(actions.get(), output.fd, STDOUT_FILENO);
  if (read == ProgramOutput::with_errors)
    ::posix_spawn_file_actions_adddup2(actions.get(), output.fd, STDERR_FILENO);
  const pid_t child = spawn(command, actions, nullptr);
  output = {};
  if (child <= 0) return std::nullopt;
  ProgramResult end;
  end.stopped = !read_until_closed(input.fd, stop, end.output);
  if (end.stopped) ::kill(child, SIGTERM);
  end.exit_code = exit_code_of(child);
  return end;
}

bool prints_to_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

}  // namespace kino
