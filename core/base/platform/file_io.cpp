#include "core/base/platform/file_io.hpp"

#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/platform/system_failure.hpp"

namespace kino {
namespace {

constexpr mode_t kPrivateFile = 0600;

Result<Descriptor> descriptor_or_error(int fd) {
  if (fd < 0) return system_failure(errno);
  return Descriptor(fd);
}

std::optional<Error> error_if_failed(int answer) {
  if (answer < 0) return system_failure(errno);
  return std::nullopt;
}

}  // namespace

Result<Descriptor> open_to_read(const std::filesystem::path& path, Links links) {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  const int no_links = links == Links::refused ? O_NOFOLLOW : 0;
  return descriptor_or_error(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | no_links));
}

Result<Descriptor> open_to_write(const std::filesystem::path& path) {
  return descriptor_or_error(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
}

Result<Descriptor> duplicate(int fd) {
  constexpr int kFirstFreeFd = 3;
  return descriptor_or_error(::fcntl(fd, F_DUPFD_CLOEXEC, kFirstFreeFd));
}

std::optional<Error> replace_descriptor(int fd, int target) {
  return error_if_failed(::dup3(fd, target, O_CLOEXEC));
}

Result<Descriptor> new_unnamed_file(const std::filesystem::path& folder) {
  return descriptor_or_error(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kPrivateFile));
}

Result<Descriptor> new_memory_file(const char* name) {
  return descriptor_or_error(::memfd_create(name, MFD_CLOEXEC));
}

Result<std::size_t> read_some_at(int fd, std::span<std::byte> out, std::uint64_t offset) {
  for (;;) {
    const ssize_t read_count = ::pread(fd, out.data(), out.size(), static_cast<off_t>(offset));
    if (read_count >= 0) return static_cast<std::size_t>(read_count);
    if (errno != EINTR) return system_failure(errno, offset);
  }
}

Result<std::size_t> read_at(int fd, std::span<std::byte> out, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < out.size()) {
    const Result<std::size_t> read_count = read_some_at(fd, out.subspan(done), offset + done);
    if (!read_count) return read_count.error();
    if (read_count.value() == 0) break;
    done += read_count.value();
  }
  return done;
}

Result<std::optional<std::size_t>> read_available(int fd, std::span<std::byte> out,
                                                  std::chrono::milliseconds patience) {
  pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
  const int ready = ::poll(&waiting, 1, static_cast<int>(patience.count()));
  if (ready == 0 || (ready < 0 && errno == EINTR)) return std::optional<std::size_t>();
  const ssize_t read_count = ::read(fd, out.data(), out.size());
  if (read_count >= 0) return std::optional(static_cast<std::size_t>(read_count));
  if (errno == EINTR || errno == EAGAIN) return std::optional<std::size_t>();
  return system_failure(errno);
}

std::optional<Error> write_all(int fd, std::span<const std::byte> data) {
  while (!data.empty()) {
    const ssize_t put = ::write(fd, data.data(), data.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return system_failure(errno);
    data = data.subspan(static_cast<std::size_t>(put));
  }
  return std::nullopt;
}

std::optional<Error> write_at(int fd, std::span<const std::byte> data, std::uint64_t offset) {
  while (!data.empty()) {
    const ssize_t put = ::pwrite(fd, data.data(), data.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return system_failure(put == 0 ? ENOSPC : errno, offset);
    data = data.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
  return std::nullopt;
}

std::optional<Error> set_size(int fd, std::uint64_t size_bytes) {
  return error_if_failed(::ftruncate(fd, static_cast<off_t>(size_bytes)));
}

std::optional<Error> remove_file(const std::filesystem::path& path) {
  return error_if_failed(::unlink(path.c_str()));
}

void flush_part(int fd, std::uint64_t begin, std::uint64_t count) {
  ::sync_file_range(fd, static_cast<off_t>(begin), static_cast<off_t>(count),
                    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}

std::optional<Error> flush_data(int fd) { return error_if_failed(::fdatasync(fd)); }

std::optional<Error> flush_all(int fd) { return error_if_failed(::fsync(fd)); }

void mark_used(int fd) { ::futimens(fd, nullptr); }

void set_permissions(int fd, unsigned permissions) { ::fchmod(fd, static_cast<mode_t>(permissions)); }

unsigned new_file_permissions() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

}  // namespace kino
