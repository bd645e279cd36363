#include "loaders/bytes/archive.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

#include "core/base/messages/message.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/base/platform/file_stamp.hpp"

namespace kino {
namespace {

constexpr std::size_t kInputBlockBytes = std::size_t{256} << 10;
constexpr std::size_t kHeadBlockBytes = std::size_t{32} << 10;

// Enables only the built-in filters of libarchive: other filters would run programs.
void support_filters(archive* handle) {
  ::archive_read_support_filter_gzip(handle);
  ::archive_read_support_filter_bzip2(handle);
  ::archive_read_support_filter_xz(handle);
  ::archive_read_support_filter_lzma(handle);
  ::archive_read_support_filter_zstd(handle);
  ::archive_read_support_filter_lz4(handle);
}

Error error_of(archive* handle, const char* what) {
  const char* why = ::archive_error_string(handle);
  return {Error::Kind::corrupt,
          std::string(what) + (why != nullptr ? ": " + std::string(why) : std::string())};
}

// Input for libarchive from one compressed stream.
struct StreamSource {
  ByteStream& in;
  SpoolWriter* out = nullptr;  // counts the bytes read
  std::vector<std::uint8_t> buffer = std::vector<std::uint8_t>(kInputBlockBytes);
  std::optional<Error> failed;

  static la_ssize_t read(archive* handle, void* data, const void** block) {
    auto& self = *static_cast<StreamSource*>(data);
    Result<std::size_t> got = self.in.read(self.buffer);
    if (!got) {
      ::archive_set_error(handle, EIO, "%s", got.error().what.str().c_str());
      self.failed = std::move(got.error());
      return ARCHIVE_FATAL;
    }
    if (self.out != nullptr) self.out->count_read(*got);
    *block = self.buffer.data();
    return static_cast<la_ssize_t>(*got);
  }
};

// Opens the only entry of a compressed file. Returns null and sets `error` on failure.
ArchiveHandle open_raw(StreamSource& source, Error& error) {
  ArchiveHandle handle(::archive_read_new());
  if (!handle) throw std::bad_alloc();
  support_filters(handle.get());
  ::archive_read_support_format_raw(handle.get());
  archive_entry* entry = nullptr;
  if (::archive_read_open2(handle.get(), &source, nullptr, StreamSource::read, nullptr, nullptr) !=
          ARCHIVE_OK ||
      ::archive_read_next_header(handle.get(), &entry) != ARCHIVE_OK) {
    error = source.failed ? *source.failed : error_of(handle.get(), "The compressed data cannot be read");
    return nullptr;
  }
  // Checked because libarchive returns the raw bytes if no filter matches. Since version 3.8, a filter
  // matches only if more than the magic bytes are valid.
  if (::archive_filter_code(handle.get(), 0) == ARCHIVE_FILTER_NONE) {
    error = {Error::Kind::corrupt, "The compressed data cannot be read: the header is truncated or damaged"};
    return nullptr;
  }
  return handle;
}

}  // namespace

void ArchiveDeleter::operator()(archive* handle) const { ::archive_read_free(handle); }

// Input for libarchive from an archive file.
struct ArchiveReader::Source {
  int fd;
  std::stop_token stop;
  std::uint64_t size_bytes = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes_read = 0;                       // each byte counts once
  std::map<std::uint64_t, std::uint64_t> known = {};  // ranges read, disjoint; the end of a zip is read first
  std::vector<std::uint8_t> buffer = std::vector<std::uint8_t>(kInputBlockBytes);

  void count(std::uint64_t from, std::uint64_t to) {
    if (from >= to) return;
    auto at = known.upper_bound(from);
    if (at != known.begin() && std::prev(at)->second >= from) --at;
    while (at != known.end() && at->first <= to) {
      bytes_read -= at->second - at->first;
      from = std::min(from, at->first);
      to = std::max(to, at->second);
      at = known.erase(at);
    }
    known.emplace(from, to);
    bytes_read += to - from;
  }

  static la_ssize_t read(archive* handle, void* data, const void** block) {
    Source& self = *static_cast<Source*>(data);
    if (self.stop.stop_requested()) {
      ::archive_set_error(handle, ECANCELED, "cancelled");
      return ARCHIVE_FATAL;
    }
    const Result<std::size_t> got =
        read_some_at(self.fd, std::as_writable_bytes(std::span(self.buffer)), self.offset);
    if (!got) {
      ::archive_set_error(handle, EIO, "%s", got.error().what.str().c_str());
      return ARCHIVE_FATAL;
    }
    self.count(self.offset, self.offset + got.value());
    self.offset += got.value();
    *block = self.buffer.data();
    return static_cast<la_ssize_t>(got.value());
  }

  static la_int64_t skip(archive* /*handle*/, void* data, la_int64_t bytes) {
    Source& self = *static_cast<Source*>(data);
    const std::uint64_t left = self.size_bytes - std::min(self.offset, self.size_bytes);
    const std::uint64_t skipped = std::min(static_cast<std::uint64_t>(std::max<la_int64_t>(bytes, 0)), left);
    self.offset += skipped;
    return static_cast<la_int64_t>(skipped);
  }

  static la_int64_t seek(archive* /*handle*/, void* data, la_int64_t offset, int whence) {
    Source& self = *static_cast<Source*>(data);
    const auto base = static_cast<la_int64_t>(whence == SEEK_SET   ? 0
                                              : whence == SEEK_CUR ? self.offset
                                                                   : self.size_bytes);
    la_int64_t target = 0;
    if (__builtin_add_overflow(base, offset, &target) || target < 0) return ARCHIVE_FATAL;
    self.offset = static_cast<std::uint64_t>(target);
    return target;
  }
};

ArchiveReader::ArchiveReader(int fd, const std::stop_token& stop)
    : source_(new Source{.fd = fd, .stop = stop}), handle_(::archive_read_new()) {
  if (!handle_) throw std::bad_alloc();
  if (const std::optional<FileStamp> file = stamp_of(fd)) source_->size_bytes = file->size_bytes;
}

ArchiveReader::~ArchiveReader() = default;

std::uint64_t ArchiveReader::file_bytes_read() const { return source_->bytes_read; }

Error ArchiveReader::last_error() const {
  return source_->stop.stop_requested() ? cancelled(msg::loading)
                                        : error_of(handle_.get(), "The archive is damaged");
}

Result<std::unique_ptr<ArchiveReader>> ArchiveReader::open(int fd, const std::stop_token& stop) {
  std::unique_ptr<ArchiveReader> reader(new ArchiveReader(fd, stop));
  archive* const handle = reader->handle_.get();
  support_filters(handle);
  ::archive_read_support_format_tar(handle);
  ::archive_read_support_format_zip(handle);
  ::archive_read_support_format_7zip(handle);
  ::archive_read_support_format_empty(handle);
  ::archive_read_set_callback_data(handle, reader->source_.get());
  ::archive_read_set_read_callback(handle, Source::read);
  ::archive_read_set_skip_callback(handle, Source::skip);
  ::archive_read_set_seek_callback(handle, Source::seek);
  if (::archive_read_open1(handle) != ARCHIVE_OK) return reader->last_error();
  return reader;
}

Result<std::optional<ArchiveEntry>> ArchiveReader::next() {
  block_ = {};
  position_ = zeros_ = 0;
  failed_.reset();
  archive_entry* entry = nullptr;
  const int status = ::archive_read_next_header(handle_.get(), &entry);
  if (status == ARCHIVE_EOF) return std::optional<ArchiveEntry>();
  // ARCHIVE_WARN, e.g. for a name in an unknown encoding: the entry is still readable.
  if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return last_error();
  entry_ = {};
  const char* name = ::archive_entry_pathname_utf8(entry);
  if (name == nullptr) name = ::archive_entry_pathname(entry);
  entry_.name = name != nullptr ? name : "";
  entry_.file = ::archive_entry_filetype(entry) == AE_IFREG && ::archive_entry_hardlink(entry) == nullptr;
  entry_.encrypted = ::archive_entry_is_encrypted(entry) != 0;
  if (::archive_entry_size_is_set(entry) != 0 && ::archive_entry_size(entry) >= 0) {
    entry_.size_bytes = static_cast<std::uint64_t>(::archive_entry_size(entry));
  }
  return std::optional<ArchiveEntry>(entry_);
}

Result<std::size_t> ArchiveReader::read(std::span<std::uint8_t> out) {
  while (block_.empty() && zeros_ == 0) {
    if (failed_) return *failed_;
    const void* data = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = ::archive_read_data_block(handle_.get(), &data, &size, &offset);
    if (status == ARCHIVE_EOF) return std::size_t{0};
    // libarchive can report an error together with the bytes before it.
    if (data != nullptr) block_ = {static_cast<const std::uint8_t*>(data), size};
    if (offset > 0 && static_cast<std::uint64_t>(offset) > position_) {
      zeros_ = static_cast<std::uint64_t>(offset) - position_;
      position_ += zeros_;
    }
    position_ += size;
    if (status != ARCHIVE_OK) failed_ = last_error();
    // A warning concerns the checksum or size of the whole entry. Since libarchive 3.7, a wrong checksum is a
    // failure, which only its text identifies ("ZIP bad CRC: 0x... should be 0x...").
    if (status == ARCHIVE_WARN ||
        (status != ARCHIVE_OK && failed_->what.str().find("bad CRC") != std::string::npos))
      failed_->kind = Error::Kind::wrong_checksum;
  }
  if (zeros_ > 0) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(zeros_, out.size()));
    std::fill_n(out.begin(), count, std::uint8_t{0});
    zeros_ -= count;
    return count;
  }
  const std::size_t count = std::min(block_.size(), out.size());
  std::copy_n(block_.begin(), count, out.begin());
  block_ = block_.subspan(count);
  return count;
}

void decompress(ByteStream& in, SpoolWriter& out, const std::stop_token& stop) {
  StreamSource source{.in = in, .out = &out, .failed = {}};
  Error error;
  const ArchiveHandle handle = open_raw(source, error);
  if (!handle) return out.end_with_error(std::move(error));
  std::vector<std::uint8_t> buffer(kInputBlockBytes);
  while (!stop.stop_requested()) {
    const la_ssize_t got = ::archive_read_data(handle.get(), buffer.data(), buffer.size());
    if (got == 0) return out.finish();
    if (got < 0) {
      return out.end_with_error(source.failed ? std::move(*source.failed)
                                              : error_of(handle.get(), "The compressed data are damaged"));
    }
    if (!out.write({buffer.data(), static_cast<std::size_t>(got)})) return;
  }
  out.finish();
}

std::string decompressed_head(ByteStream& in, std::size_t most_bytes) {
  StreamSource source{
      .in = in, .out = nullptr, .buffer = std::vector<std::uint8_t>(kHeadBlockBytes), .failed = {}};
  Error error;
  const ArchiveHandle handle = open_raw(source, error);
  std::string head(handle ? most_bytes : 0, '\0');
  std::size_t size = 0;
  while (size < head.size()) {
    const la_ssize_t got = ::archive_read_data(handle.get(), head.data() + size, head.size() - size);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  head.resize(size);
  return head;
}

}  // namespace kino
