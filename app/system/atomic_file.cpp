#include "app/system/atomic_file.hpp"

#include <cerrno>
#include <span>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/messages/message.hpp"
#include "core/base/platform/descriptor.hpp"
#include "core/base/platform/file_facts.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/base/platform/new_file.hpp"
#include "core/base/platform/system_failure.hpp"

namespace kino {
namespace {

constexpr mode_t kNewFileMode = 0666;  // minus the user's umask

Error write_error(const Error& why) {
  const Error::Kind kind = why.kind == Error::Kind::not_found ? Error::Kind::system : why.kind;
  return {kind, {msg::the_file_cannot_be_written, why.what}};
}

/// Writes into a file that must not be replaced, such as a device or pipe.
std::optional<Error> write_into(const std::filesystem::path& path, std::string_view text) {
  const Result<Descriptor> file = open_to_write(path);
  if (!file) return write_error(file.error());
  if (const auto error = write_all(file.value().fd, std::as_bytes(std::span(text))))
    return write_error(*error);
  return std::nullopt;
}

/// Creates a file beside `path`, and stores its name in `temporary`.
Result<Descriptor> open_beside(const std::filesystem::path& path, std::string& temporary) {
  constexpr int kMostTries = 100;
  int reason = 0;
  for (int i = 0; i < kMostTries; ++i) {
    temporary = path.string() + "." + std::to_string(::getpid()) + "." + std::to_string(i) + ".part";
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFileMode);
    if (fd >= 0) return Descriptor(fd);
    reason = errno;
    if (reason != EEXIST) break;
  }
  return system_failure(reason);
}

/// Sets the mode of the new file to that of the old one, and writes the text. With `power_loss`, waits until
/// the text is on the disk.
std::optional<Error> fill(int fd, std::string_view text, const Result<FileFacts>& old,
                          Durability durability) {
  if (old && ::fchmod(fd, old.value().permissions) != 0) return system_failure(errno);
  if (auto error = write_all(fd, std::as_bytes(std::span(text)))) return error;
  return durability == Durability::power_loss ? flush_all(fd) : std::nullopt;
}

}  // namespace

std::optional<Error> write_file_atomically(const std::filesystem::path& path, std::string_view text,
                                           Durability durability) {
  std::error_code code;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), code);
  if (code) {
    Error error = system_failure(code.value());
    if (error.kind == Error::Kind::not_found) error.kind = Error::Kind::system;
    return Error{error.kind, {msg::folder_cannot_be_created, error.what}};
  }

  const Result<FileFacts> old = file_facts(path);
  if (old && old.value().type == FileType::folder) return write_error(system_failure(EISDIR));
  if (old && old.value().type != FileType::regular) return write_into(path, text);

  const std::filesystem::path target = resolve_links(path);
  std::string temporary;
  std::optional<Error> error;
  {
    const Result<Descriptor> file = open_beside(target, temporary);
    if (!file) return write_error(file.error());
    error = fill(file.value().fd, text, old, durability);
  }
  if (!error && ::rename(temporary.c_str(), target.c_str()) == 0) return std::nullopt;
  if (!error) error = system_failure(errno);
  ::unlink(temporary.c_str());
  return write_error(*error);
}

}  // namespace kino
