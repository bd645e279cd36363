#include "loaders/bytes/text_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loaders/bytes/descriptor.hpp"
#include "loaders/bytes/new_file.hpp"

namespace kino {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

Error write_failure(int code) {
  const bool full = code == ENOSPC || code == EDQUOT;
  const Error::Kind kind = full                              ? Error::Kind::no_space
                           : code == EACCES || code == EPERM ? Error::Kind::no_permission
                                                             : Error::Kind::system;
  return {kind, "the file cannot be written (" + std::generic_category().message(code) + ")", kNoOffset};
}

/// What a new file of this process gets: mkstemp() and O_TMPFILE make them for the owner alone.
mode_t new_file_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

struct TextFile::State {
  std::filesystem::path target;
  std::optional<NewFile> replacing;  // none: written straight into
  Descriptor straight;
  bool compressed = false;
  std::string gathered;  // not written yet
  std::vector<std::uint8_t> packed;
  std::vector<std::uint8_t> level_memory;
  isal_zstream stream{};
  std::uint64_t bytes = 0;

  int fd() const { return replacing ? replacing->fd() : straight.fd; }

  std::optional<Error> put(const void* data, std::size_t size) {
    const auto* at = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t written = ::write(fd(), at, size);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return write_failure(errno);
      at += written;
      size -= static_cast<std::size_t>(written);
      bytes += static_cast<std::uint64_t>(written);
    }
    return std::nullopt;
  }

  void start_compressing() {
    compressed = true;
    packed.resize(kBufferBytes);
    level_memory.resize(ISAL_DEF_LVL1_DEFAULT);
    isal_deflate_init(&stream);
    stream.level = 1;
    stream.level_buf = level_memory.data();
    stream.level_buf_size = static_cast<std::uint32_t>(level_memory.size());
    stream.gzip_flag = IGZIP_GZIP;
  }

  std::optional<Error> drain(bool last) {
    if (!compressed) {
      auto error = put(gathered.data(), gathered.size());
      gathered.clear();
      return error;
    }
    stream.next_in = reinterpret_cast<std::uint8_t*>(gathered.data());
    stream.avail_in = static_cast<std::uint32_t>(gathered.size());
    stream.end_of_stream = last ? 1 : 0;
    do {
      stream.next_out = packed.data();
      stream.avail_out = static_cast<std::uint32_t>(packed.size());
      if (isal_deflate(&stream) != COMP_OK)
        return Error{Error::Kind::system, "the text cannot be compressed", kNoOffset};
      if (auto error = put(packed.data(), packed.size() - stream.avail_out)) return error;
    } while (stream.avail_out == 0);
    gathered.clear();
    return std::nullopt;
  }
};

TextFile::TextFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextFile::TextFile(TextFile&&) noexcept = default;
TextFile::~TextFile() = default;

Result<TextFile> TextFile::create(const std::filesystem::path& path) {
  auto state = std::make_unique<State>();
  std::error_code code;
  // A link that leads nowhere yet names the file that is made.
  state->target = end_of_links(std::filesystem::absolute(path, code));
  if (code || state->target.empty()) state->target = path;
  struct stat status {};
  const bool there = ::stat(state->target.c_str(), &status) == 0;
  if (there && S_ISDIR(status.st_mode)) return write_failure(EISDIR);
  if (there && !S_ISREG(status.st_mode)) {
    const int fd = ::open(state->target.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return write_failure(errno);
    state->straight.fd = fd;
  } else {
    Result<NewFile> made = NewFile::create(state->target.parent_path());
    if (!made.ok()) return made.error();
    state->replacing.emplace(std::move(made).value());
    ::fchmod(state->fd(), there ? status.st_mode & 07777U : new_file_mode());
  }
  if (path.extension() == ".gz") state->start_compressing();
  return TextFile(std::move(state));
}

std::optional<Error> TextFile::write(std::string_view text) {
  while (!text.empty()) {
    const std::size_t room = kBufferBytes - std::min(kBufferBytes, state_->gathered.size());
    const std::string_view piece = text.substr(0, room);
    state_->gathered.append(piece);
    text.remove_prefix(piece.size());
    if (state_->gathered.size() < kBufferBytes) break;
    if (auto error = state_->drain(false)) return error;
  }
  return std::nullopt;
}

Result<std::uint64_t> TextFile::finish() {
  if (auto error = state_->drain(true)) return std::move(*error);
  if (!state_->replacing) return state_->bytes;
  if (::fsync(state_->fd()) != 0) return write_failure(errno);
  if (auto error = state_->replacing->publish(state_->target.filename().string())) return std::move(*error);
  return state_->bytes;
}

}  // namespace kino
