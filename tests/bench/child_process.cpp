#include "tests/bench/child_process.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kino_test {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

[[noreturn]] void become(std::vector<char*>& arguments, int output, bool discard_errors) {
  ::dup2(output, STDOUT_FILENO);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nowhere, STDIN_FILENO);
  if (discard_errors) ::dup2(nowhere, STDERR_FILENO);
  ::execv(arguments.front(), arguments.data());
  ::_exit(127);
}

}  // namespace

ChildRun run_child(const std::vector<std::string>& command, bool discard_errors) {
  ChildRun run;
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return run;

  const auto begin = std::chrono::steady_clock::now();
  const pid_t pid = ::fork();
  if (pid == 0) become(arguments, ends[1], discard_errors);
  ::close(ends[1]);
  std::array<char, 4096> buffer{};
  ssize_t got = 0;
  while (pid > 0 &&
         ((got = ::read(ends[0], buffer.data(), buffer.size())) > 0 || (got < 0 && errno == EINTR))) {
    if (got > 0) run.output.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  if (pid < 0) return run;
  int status = 0;
  rusage usage{};
  while (::wait4(pid, &status, 0, &usage) < 0) {
    if (errno != EINTR) return run;
  }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  run.user_seconds = seconds_of(usage.ru_utime);
  run.system_seconds = seconds_of(usage.ru_stime);
  run.peak_rss_bytes = static_cast<double>(usage.ru_maxrss) * 1024;
  return run;
}

std::optional<std::string> find_program(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::string rest = variable != nullptr ? variable : "";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string program = rest.substr(0, colon) + "/" + name;
    rest.erase(0, colon + 1);
    if (program.front() == '/' && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

}  // namespace kino_test
