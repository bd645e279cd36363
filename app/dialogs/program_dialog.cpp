#include "app/dialogs/program_dialog.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace kino {
namespace {

constexpr int kStopPollMs = 100;
constexpr std::size_t kLargestAnswer = 1 << 20;
constexpr const char* kPatterns = "*.json *.gz *.zst *.xz *.bz2 *.lz4 *.tar *.tgz *.zip *.7z";

DialogCommand save_command(std::string_view name, const std::string& program, const std::string& folder,
                           const DialogTexts& texts) {
  const std::string suggested = folder + texts.save_as;
  if (name == "kdialog") return {program, "--title", texts.title, "--getsavefilename", suggested};
  return {program,
          name == "yad" ? "--file" : "--file-selection",
          "--save",
          "--confirm-overwrite",
          "--title=" + texts.title,
          "--filename=" + suggested};
}

DialogCommand command_of(std::string_view name, const std::string& program, const std::string& folder,
                         const DialogTexts& texts) {
  if (!texts.save_as.empty()) return save_command(name, program, folder, texts);
  if (name == "kdialog") {
    return {program, "--title", texts.title, "--multiple", "--separate-output", "--getopenfilename",
            folder,  kPatterns};
  }
  if (name == "yad") {
    return {
        program, "--file", "--multiple", "--separator=\n", "--title=" + texts.title, "--filename=" + folder};
  }
  return {program,
          "--file-selection",
          "--multiple",
          "--separator=\n",
          "--title=" + texts.title,
          "--filename=" + folder,
          "--file-filter=" + texts.traces + " | " + kPatterns,
          "--file-filter=" + texts.all_files + " | *"};
}

class SpawnActions {
 public:
  SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// Starts the program with its output in a pipe; -1 when it cannot be run.
pid_t start(const DialogCommand& command, int output) {
  SpawnActions actions;
  ::posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(actions.get(), output, STDOUT_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = -1;
  if (::posix_spawn(&pid, command.front().c_str(), actions.get(), nullptr, arguments.data(), environ) != 0) {
    return -1;
  }
  return pid;
}

// Everything the program prints until it closes its output; false when told to stop.
bool read_until_closed(int input, const std::stop_token& stop, std::string& text) {
  std::array<char, 4096> buffer{};
  while (!stop.stop_requested()) {
    pollfd waiting{.fd = input, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, kStopPollMs) <= 0) continue;
    const ssize_t got = ::read(input, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    if (text.size() < kLargestAnswer) text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return false;
}

int exit_code_of(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::optional<DialogCommand> find_dialog_program(std::string_view path_variable,
                                                 const std::filesystem::path& folder,
                                                 const DialogTexts& texts) {
  std::string start_folder = folder.string();
  if (!start_folder.empty() && !start_folder.ends_with('/')) start_folder += '/';
  // The dialog that fits the desktop first.
  const char* desktop = std::getenv("XDG_CURRENT_DESKTOP");
  const bool kde = desktop != nullptr && std::string_view(desktop).find("KDE") != std::string_view::npos;
  std::array<std::string_view, 4> names = {"zenity", "kdialog", "qarma", "yad"};
  if (kde) std::swap(names[0], names[1]);
  for (const std::string_view name : names) {
    std::string_view rest = path_variable;
    while (!rest.empty()) {
      const std::size_t colon = std::min(rest.find(':'), rest.size());
      const std::string_view directory = rest.substr(0, colon);
      rest.remove_prefix(std::min(colon + 1, rest.size()));
      // Relative folders in PATH would run what lies where the program was started.
      if (!directory.starts_with('/')) continue;
      const std::string program = std::string(directory) + "/" + std::string(name);
      if (::access(program.c_str(), X_OK) == 0) return command_of(name, program, start_folder, texts);
    }
  }
  return std::nullopt;
}

std::vector<std::filesystem::path> paths_from_lines(std::string_view text) {
  std::vector<std::filesystem::path> paths;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('/')) paths.emplace_back(line);
  }
  return paths;
}

DialogOutcome ask_program(const std::filesystem::path& folder, const DialogTexts& texts,
                          const std::stop_token& stop) {
  const char* path = std::getenv("PATH");
  const std::optional<DialogCommand> command =
      find_dialog_program(path != nullptr ? path : "", folder, texts);
  if (!command) return {};
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const pid_t pid = start(*command, ends[1]);
  ::close(ends[1]);
  std::string text;
  const bool finished = pid > 0 && read_until_closed(ends[0], stop, text);
  ::close(ends[0]);
  if (pid <= 0) return {};
  if (!finished) ::kill(pid, SIGTERM);
  const int code = exit_code_of(pid);
  if (!finished) return {.kind = DialogOutcome::Kind::cancelled, .files = {}};
  // 0: chosen, 1: cancelled; anything else is a dialog that could not be shown.
  if (code != 0 && code != 1) return {};
  DialogOutcome outcome{.kind = DialogOutcome::Kind::cancelled, .files = {}};
  if (code == 0) outcome.files = paths_from_lines(text);
  if (!outcome.files.empty()) outcome.kind = DialogOutcome::Kind::chosen;
  return outcome;
}

}  // namespace kino
