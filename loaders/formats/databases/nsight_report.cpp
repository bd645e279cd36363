#include "loaders/formats/databases/nsight_report.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/ascii.hpp"
#include "core/base/platform/descriptor.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/bytes/file_source.hpp"
#include "loaders/bytes/spool.hpp"
#include "loaders/formats/databases/database_format.hpp"

namespace kino {
namespace {

/// Removes the file when the scope ends.
struct TemporaryFile {
  std::filesystem::path path;
  explicit TemporaryFile(std::filesystem::path file) : path(std::move(file)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

/// Returns the last line written to `fd`.
std::string last_line(int fd) {
  constexpr off_t kMost = 4096;
  const off_t size = ::lseek(fd, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::min(kMost, std::max<off_t>(0, size))), '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), std::max<off_t>(0, size - kMost));
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  std::string_view line = trimmed(text);
  return std::string(line.substr(line.rfind('\n') + 1));
}

Result<pid_t> started(const std::filesystem::path& program, std::vector<std::string> arguments,
                      int messages) {
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, messages, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return Error{Error::Kind::system, std::string("nsys cannot be started: ") + std::strerror(error)};
  }
  return child;
}

/// Waits until the process ends; kills it on a stop request, or if the disk is nearly full. Returns an error
/// if it was killed or failed.
std::optional<Error> waited_for(pid_t child, const std::filesystem::path& folder, int messages,
                                const std::stop_token& stop) {
  constexpr auto kLook = std::chrono::milliseconds(20);
  const Descriptor disk(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::optional<Error> ended;
  for (;;) {
    int status = 0;
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child || (done < 0 && errno != EINTR)) {
      if (ended) return ended;
      if (done == child && WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
      const std::string line = last_line(messages);
      return Error{Error::Kind::system,
                   "nsys could not export the report: " + (line.empty() ? "nsys printed nothing" : line)};
    }
    if (!ended && stop.stop_requested()) ended = cancelled("Loading");
    if (!ended && disk.fd >= 0 && is_spool_nearly_full(disk.fd)) {
      ended = Error{Error::Kind::no_space, "The disk has no space for the database that nsys exports"};
    }
    if (ended) ::kill(child, SIGKILL);
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace

FormatMatch nsight_report_match(std::string_view head) {
  return head.starts_with("NVIDIA Tegra Profiler Report") ? FormatMatch::surely : FormatMatch::none;
}

std::optional<std::filesystem::path> find_nsys() {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): never modified
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    // Ignores relative folders of the PATH: a program there may have been delivered with the report.
    if (!folder.starts_with('/')) continue;
    std::filesystem::path program = std::filesystem::path(folder) / "nsys";
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

std::string nsys_command(const std::filesystem::path& report) {
  std::string quoted = "'";
  for (const char c : report.string()) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "nsys export --type sqlite --force-overwrite true " + quoted + "'";
}

Result<OpenedFile> open_nsight_report(const FormatInput& input) {
  const std::filesystem::path report =
      input.file.empty() ? std::filesystem::path() : std::filesystem::absolute(input.file);
  const std::optional<std::filesystem::path> nsys = find_nsys();
  if (!nsys || report.empty()) {
    const std::string name = report.empty() ? "REPORT.nsys-rep" : report.string();
    return Error{Error::Kind::unknown_format, "This is a report of Nsight Systems, which only nsys can read" +
                                                  std::string(nsys ? "" : ", and nsys is not on the PATH") +
                                                  ". Run: " + nsys_command(name) +
                                                  ", and open the .sqlite file that nsys writes"};
  }
  const std::filesystem::path folder =
      input.options.cache_directory.empty() ? default_cache_directory() : input.options.cache_directory;
  if (folder.empty()) return Error{Error::Kind::system, "There is no cache folder to export the report to"};
  make_cache_folder(folder);
  std::string name = (folder / "nsight-XXXXXX.sqlite").string();
  constexpr int kSuffix = 7;  // ".sqlite"
  const Descriptor reserved(::mkstemps(name.data(), kSuffix));
  if (reserved.fd < 0) {
    return Error{Error::Kind::system,
                 std::string("The cache folder cannot be written to: ") + std::strerror(errno)};
  }
  const TemporaryFile exported(name);
  const Descriptor messages(::memfd_create("nsys", MFD_CLOEXEC));
  const Result<pid_t> child = started(
      *nsys, {"nsys", "export", "--type", "sqlite", "--force-overwrite", "true", "-o", name, report.string()},
      messages.fd);
  if (!child) return child.error();
  if (auto error = waited_for(child.value(), folder, messages.fd, input.stop)) return std::move(*error);
  Descriptor database(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  if (database.fd < 0) return Error{Error::Kind::system, "nsys wrote no database"};
  const auto source = std::make_shared<FileSource>(std::move(database));
  source->set_size_bytes(static_cast<std::uint64_t>(std::max<off_t>(0, ::lseek(source->fd(), 0, SEEK_END))));
  Result<OpenedFile> opened = open_database_text(input, source);
  if (auto* const trace = opened ? std::get_if<OpenedTrace>(&*opened) : nullptr)
    trace->format = &kNsightReport;
  return opened;
}

}  // namespace kino
