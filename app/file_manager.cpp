#include "app/file_manager.hpp"

#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/bus.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace kino {
namespace {

constexpr std::uint64_t kBusPollUs = 50'000;
constexpr std::chrono::milliseconds kChildPoll{100};
constexpr std::chrono::seconds kLongestCall{8};  // a file manager that has to start first takes some seconds

enum class ShowAnswer { none, shown, refused };

int on_answer(sd_bus_message* message, void* data, sd_bus_error* /*error*/) {
  *static_cast<ShowAnswer*>(data) =
      sd_bus_message_is_method_error(message, nullptr) > 0 ? ShowAnswer::refused : ShowAnswer::shown;
  return 0;
}

bool show_by_bus(const std::string& uri, const std::stop_token& stop) {
  sd_bus* raw = nullptr;
  if (sd_bus_open_user(&raw) < 0) return false;
  const Bus bus(raw);
  ShowAnswer answer = ShowAnswer::none;
  sd_bus_slot* raw_slot = nullptr;
  if (sd_bus_call_method_async(raw, &raw_slot, "org.freedesktop.FileManager1",
                               "/org/freedesktop/FileManager1", "org.freedesktop.FileManager1", "ShowItems",
                               on_answer, &answer, "ass", 1, uri.c_str(), "") < 0) {
    return false;
  }
  const BusSlot slot(raw_slot);
  const auto give_up = std::chrono::steady_clock::now() + kLongestCall;
  while (answer == ShowAnswer::none && std::chrono::steady_clock::now() < give_up) {
    if (stop.stop_requested()) return true;
    const int processed = sd_bus_process(raw, nullptr);
    if (processed < 0) return false;
    if (processed == 0) sd_bus_wait(raw, kBusPollUs);
  }
  return answer == ShowAnswer::shown;
}

std::optional<std::string> find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string_view folder = rest.substr(0, colon);
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    // Relative folders in PATH would run what lies where the program was started.
    if (!folder.starts_with('/')) continue;
    std::string program = std::string(folder) + "/" + std::string(name);
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

bool open_folder(const std::string& folder, const std::stop_token& stop) {
  const std::optional<std::string> program = find_program("xdg-open");
  if (!program) return false;
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  // A file manager that xdg-open becomes outlives our terminal.
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::array<char*, 3> arguments = {const_cast<char*>(program->c_str()), const_cast<char*>(folder.c_str()),
                                    nullptr};
  pid_t child = -1;
  const int failed =
      ::posix_spawn(&child, program->c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  // Reaped here, unless the program ends first; init does it then.
  int status = 0;
  while (!stop.stop_requested()) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended < 0 && errno != EINTR) return false;
    std::this_thread::sleep_for(kChildPoll);
  }
  return true;
}

}  // namespace

std::string uri_from_path(const std::filesystem::path& path) {
  constexpr std::string_view kUnreserved = "-._~/";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const char c : path.native()) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalnum(byte) != 0 || kUnreserved.find(c) != std::string_view::npos)) {
      uri += c;
    } else {
      uri += '%';
      uri += kDigits[byte >> 4U];
      uri += kDigits[byte & 15U];
    }
  }
  return uri;
}

void FileManager::reveal(const std::filesystem::path& file) {
  worker_.request_stop();
  worker_ = std::jthread(
      [uri = uri_from_path(file), folder = file.parent_path().string()](const std::stop_token& stop) {
        if (show_by_bus(uri, stop) || open_folder(folder, stop)) return;
        std::fputs("kinetoscope: no file manager answers, neither by D-Bus nor by xdg-open\n", stderr);
      });
}

}  // namespace kino
