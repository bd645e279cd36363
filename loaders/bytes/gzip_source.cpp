#include "loaders/bytes/gzip_source.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace kino {
namespace {

/// Returns the index of the window of a point: the number of points with a window before it.
std::size_t window_of(const SeekPoints& known, std::size_t point) {
  return static_cast<std::size_t>(std::ranges::count_if(
      std::span(known.points).first(point), [](std::uint64_t has) { return has != 0; },
      &SeekPoint::has_window));
}

}  // namespace

struct GzipSource::Cursor {
  explicit Cursor(int fd) : in(fd, 0), decoder(in) {}
  Cursor(int fd, const SeekPoint& point, const GzipWindow* window)
      : offset(point.text_offset), in(fd, point.bit_offset / 8), decoder(in, point, window) {}

  std::uint64_t offset = 0;  // offset of the next text
  FileStream in;
  GzipDecoder decoder;
};

GzipSource::GzipSource(Descriptor& file, const FileStamp& stamp, SeekPoints known,
                       std::uint64_t point_distance)
    : file_(file.release()),
      stamp_(stamp),
      point_distance_(point_distance),
      next_point_(point_distance),
      known_(std::move(known)) {
  set_size_bytes(known_.text_bytes);
  if (known_.text_bytes > 0) most_recent_ = kChunksAfterwards;
}

GzipSource::~GzipSource() = default;

bool GzipSource::unchanged() const {
  const std::optional<FileStamp> now = stamp_of(fd());
  return now && now->same_content(stamp_);
}

// ---- First pass

void GzipSource::expect(std::uint64_t size) {
  {
    const std::lock_guard lock(mutex_);
    if (size <= expected_) return;
    expected_ = size;
  }
  expected_more_.notify_all();
}

std::span<std::uint8_t> GzipSource::room(const std::stop_token& stop) {
  if (!current_) {
    std::unique_lock lock(mutex_);
    const auto much_is_there = [&](std::uint64_t ahead) {
      return written_ >= ahead && written_ - ahead >= expected_;
    };
    // If readers are kAhead behind, waits until they are only half as far behind (hysteresis).
    if (much_is_there(kAhead) &&
        !expected_more_.wait(lock, stop, [&] { return !much_is_there(kAhead / 2); })) {
      return {};
    }
    lock.unlock();
    current_ = new_chunk();
  }
  if (stop.stop_requested()) return {};
  return current_->span().subspan(written_ % kChunkBytes);
}

std::uint64_t GzipSource::commit(std::size_t count) {
  written_ += count;
  if (count == 0 || written_ % kChunkBytes != 0) return size_bytes();
  remember(written_ / kChunkBytes - 1, current_);
  before_ = std::exchange(current_, nullptr);
  return written_;
}

std::uint64_t GzipSource::finish() {
  if (current_) remember(written_ / kChunkBytes, std::move(current_));
  before_ = nullptr;
  current_ = nullptr;
  const std::lock_guard lock(mutex_);
  known_.text_bytes = written_;
  return written_;
}

void GzipSource::settle() {
  const std::lock_guard lock(mutex_);
  most_recent_ = kChunksAfterwards;
  recent_.clear();
}

bool GzipSource::seek_point_due() {
  if (written_ < next_point_) return false;
  next_point_ = written_ + point_distance_;
  return true;
}

void GzipSource::add_point(SeekPoint point) {
  point.text_offset = written_;
  const std::lock_guard lock(mutex_);
  if (point.has_window != 0) {
    GzipWindow& window = known_.windows.emplace_back();
    // The window ends in the current chunk, and may start in the previous chunk.
    const std::size_t in_current = written_ % kChunkBytes;
    const std::size_t from_current = std::min(window.size(), in_current);
    const std::size_t from_before = window.size() - from_current;
    if (from_before > 0) std::memcpy(window.data(), before_->end() - from_before, from_before);
    if (from_current > 0)
      std::memcpy(window.data() + from_before, current_->begin() + in_current - from_current, from_current);
  }
  known_.points.push_back(point);
  next_point_ = written_ + point_distance_;
}

// ---- Chunks

std::shared_ptr<GzipSource::Chunk> GzipSource::find(std::uint64_t index) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(recent_.rbegin(), recent_.rend(),
                                  [&](const Recent& recent) { return recent.index == index; });
  return found == recent_.rend() ? nullptr : found->chunk;
}

void GzipSource::remember(std::uint64_t index, std::shared_ptr<Chunk> chunk) const {
  const std::lock_guard lock(mutex_);
  recent_.push_back({index, std::move(chunk)});
  while (recent_.size() > most_recent_) recent_.erase(recent_.begin());
}

// ---- Reading

Result<std::size_t> GzipSource::read(std::uint64_t offset, std::span<char> out) const {
  const std::uint64_t size = size_bytes();
  out = out.first(std::min<std::uint64_t>(out.size(), size > offset ? size - offset : 0));
  const std::span<std::uint8_t> bytes(reinterpret_cast<std::uint8_t*>(out.data()), out.size());
  for (std::size_t done = 0; done < bytes.size();) {
    const std::uint64_t index = (offset + done) / kChunkBytes;
    const std::size_t within = (offset + done) % kChunkBytes;
    const std::span<std::uint8_t> rest = bytes.subspan(done);
    std::shared_ptr<Chunk> chunk = find(index);
    if (!chunk && within == 0 && rest.size() >= kChunkBytes) {
      // Whole chunks are inflated directly into the output, so they are not cached.
      const std::span<std::uint8_t> whole = rest.first(rest.size() / kChunkBytes * kChunkBytes);
      if (auto error = inflate(offset + done, whole)) return *error;
      done += whole.size();
      continue;
    }
    if (!chunk) {
      chunk = new_chunk();
      const std::uint64_t begin = index * kChunkBytes;
      if (auto error =
              inflate(begin, chunk->span().first(std::min<std::uint64_t>(kChunkBytes, size - begin))))
        return *error;
      remember(index, chunk);
    }
    const std::size_t count = std::min(rest.size(), kChunkBytes - within);
    std::memcpy(rest.data(), chunk->begin() + within, count);
    done += count;
  }
  return out.size();
}

std::optional<Error> GzipSource::inflate(std::uint64_t offset, std::span<std::uint8_t> out) const {
  using Stop = GzipDecoder::Stop;
  std::unique_ptr<Cursor> cursor = cursor_at(offset);
  std::shared_ptr<Chunk> skipped;
  for (std::size_t done = 0; done < out.size();) {
    std::span<std::uint8_t> target = out.subspan(done);
    if (cursor->offset < offset) {
      if (!skipped) skipped = new_chunk();
      target = skipped->span().first(std::min<std::uint64_t>(kChunkBytes, offset - cursor->offset));
    }
    const GzipDecoder::Decoded decoded = cursor->decoder.decode(target);
    if (cursor->offset >= offset) done += decoded.bytes;
    cursor->offset += decoded.bytes;
    if (decoded.stop == Stop::unreadable) return cursor->decoder.take_error();
    const bool more_follows = decoded.stop == Stop::none || decoded.stop == Stop::wrong_checksum;
    if (!more_follows && done < out.size()) {
      return Error{Error::Kind::corrupt, "The compressed file has changed since its text was loaded",
                   cursor->offset};
    }
  }
  put_back(std::move(cursor));
  return std::nullopt;
}

std::unique_ptr<GzipSource::Cursor> GzipSource::cursor_at(std::uint64_t offset) const {
  const std::lock_guard lock(mutex_);
  auto best = cursors_.end();
  for (auto cursor = cursors_.begin(); cursor != cursors_.end(); ++cursor) {
    if ((*cursor)->offset <= offset && (best == cursors_.end() || (*cursor)->offset > (*best)->offset))
      best = cursor;
  }
  const auto end = std::ranges::upper_bound(known_.points, offset, {}, &SeekPoint::text_offset);
  const auto count = static_cast<std::size_t>(end - known_.points.begin());
  if (best != cursors_.end() && (count == 0 || (*best)->offset >= std::prev(end)->text_offset)) {
    std::unique_ptr<Cursor> cursor = std::move(*best);
    cursors_.erase(best);
    return cursor;
  }
  if (count == 0) return std::make_unique<Cursor>(fd());
  const SeekPoint& point = known_.points[count - 1];
  return std::make_unique<Cursor>(
      fd(), point, point.has_window != 0 ? &known_.windows[window_of(known_, count - 1)] : nullptr);
}

void GzipSource::put_back(std::unique_ptr<Cursor> cursor) const {
  const std::lock_guard lock(mutex_);
  cursors_.push_back(std::move(cursor));
  if (cursors_.size() > kCursors) cursors_.erase(cursors_.begin());
}

std::vector<std::uint64_t> GzipSource::cuts(std::uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> begins{0};
  const auto cut_at = [&](std::uint64_t offset) {
    const std::uint64_t chunk = (offset + kChunkBytes - 1) / kChunkBytes * kChunkBytes;
    if (chunk < begins.back() + bytes || chunk >= size_bytes()) return false;
    begins.push_back(chunk);
    return true;
  };
  // Maximum size of pieces where seek points are rare.
  const std::uint64_t most_bytes = 2 * std::max(bytes, point_distance_);
  const auto advance_to = [&](std::uint64_t offset) {
    while (offset > begins.back() + most_bytes && cut_at(begins.back() + most_bytes / 2)) {
    }
  };
  for (const SeekPoint& point : known_.points) {
    advance_to(point.text_offset);
    cut_at(point.text_offset);
  }
  advance_to(size_bytes());
  return begins;
}

// ---- Writing

bool GzipWriter::commit(std::size_t count, std::uint32_t /*crc_before*/, std::uint32_t /*crc_after*/) {
  if (!within_limit()) return false;
  count_written(count);
  const std::uint64_t readable = source_.commit(count);
  if (readable > source_.size_bytes()) out().grow_to(readable);
  return true;
}

void GzipWriter::finish() {
  out().grow_to(source_.finish());
  out().finish();
}

}  // namespace kino
