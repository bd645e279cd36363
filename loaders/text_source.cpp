#include "loaders/text_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <sys/types.h>
#include <unistd.h>

namespace kino {

TextSource::~TextSource() {
  if (fd_ >= 0) ::close(fd_);
}

bool TextSource::unchanged() const {
  if (!stamp_) return true;
  const std::optional<FileStamp> now = stamp_of(fd_);
  return now && now->same_content(*stamp_);
}

Result<std::size_t> TextSource::read(std::uint64_t offset, std::span<char> out) const {
  if (is_spool()) {
    const std::uint64_t size = size_bytes();
    out = out.first(std::min<std::uint64_t>(out.size(), size > offset ? size - offset : 0));
  }
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = ::pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return Error{Error::Kind::system, std::string("Reading failed: ") + std::strerror(errno),
                   offset + done};
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Result<std::string> TextSource::read_text(std::uint64_t offset, std::size_t length) const {
  std::string text(length, '\0');
  Result<std::size_t> got = read(offset, {text.data(), text.size()});
  if (!got) return got.error();
  text.resize(*got);
  return text;
}

std::shared_ptr<TextSource> owning_source(int fd, std::optional<FileStamp> stamp) {
  try {
    return std::make_shared<TextSource>(fd, stamp);
  } catch (const std::bad_alloc&) {
    ::close(fd);
    throw;
  }
}

}  // namespace kino
