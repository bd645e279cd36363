// The text of a gzip file that is not copied to disk: later reads inflate it again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/memory_pool.hpp"
#include "core/base/platform/descriptor.hpp"
#include "core/base/platform/file_stamp.hpp"
#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/gzip_decoder.hpp"
#include "loaders/bytes/text_source.hpp"
#include "loaders/bytes/text_writer.hpp"

namespace kino {

/// While loading, the text is inflated once, and parsers receive it through 8 MiB of memory. Later reads
/// inflate from the last seek point before their offset: usually at most 16 MiB of text and one block, in
/// less than 10 ms. (A file that is a single huge block, which is rare, has no such points and is inflated
/// from its start.) Consecutive reads inflate each byte only once.
class GzipSource : public TextSource {
 public:
  static constexpr std::uint64_t kPointDistance = std::uint64_t{16} << 20;

  /// Takes ownership of `file`. `known` are the seek points of an earlier load. If there are none, about one
  /// point is recorded per `point_distance` bytes of text.
  GzipSource(Descriptor& file, const FileStamp& stamp, SeekPoints known = {},
             std::uint64_t point_distance = kPointDistance);
  ~GzipSource() override;

  int fd() const { return file_.fd; }
  bool unchanged() const override;
  void expect(std::uint64_t size) override;
  void settle() override;
  Result<std::size_t> read(std::uint64_t offset, std::span<char> out) const override;
  /// Returns offsets of chunks, at least `bytes` apart: 0, the first chunks after seek points, and further
  /// ones where seek points are rare.
  std::vector<std::uint64_t> cuts(std::uint64_t bytes) const override;
  const SeekPoints* seek_points() const override { return &known_; }

  // ---- For the thread that inflates the text while it is loaded
  /// Returns the buffer for the next text. Waits while readers are far behind; empty on a stop request.
  std::span<std::uint8_t> room(const std::stop_token& stop);
  /// Appends the first `count` bytes of room(). Returns the number of readable bytes, a multiple of the chunk
  /// size.
  std::uint64_t commit(std::size_t count);
  /// Returns whether a seek point should be searched for now.
  bool seek_point_due();
  /// Adds a seek point after the committed bytes.
  void add_point(SeekPoint point);
  /// Ends the text and returns its size.
  std::uint64_t finish();

 private:
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
  static constexpr std::size_t kChunksWhileLoading = 8;
  static constexpr std::size_t kChunksAfterwards = 4;
  static constexpr std::uint64_t kAhead = kChunksWhileLoading / 2 * kChunkBytes;
  static constexpr std::size_t kCursors = 4;

  using Chunk = PooledColumn<std::uint8_t>;  // pooled: new pages cost as much as inflating
  struct Recent {
    std::uint64_t index = 0;
    std::shared_ptr<Chunk> chunk;
  };
  /// Inflates forward from one offset.
  struct Cursor;

  std::shared_ptr<Chunk> new_chunk() const { return std::make_shared<Chunk>(pool_, kChunkBytes); }
  std::shared_ptr<Chunk> find(std::uint64_t index) const;
  void remember(std::uint64_t index, std::shared_ptr<Chunk> chunk) const;
  std::unique_ptr<Cursor> cursor_at(std::uint64_t offset) const;
  void put_back(std::unique_ptr<Cursor> cursor) const;
  /// Inflates the text from `offset`, the start of a chunk, until `out` is full.
  std::optional<Error> inflate(std::uint64_t offset, std::span<std::uint8_t> out) const;

  Descriptor file_;
  FileStamp stamp_;
  const std::shared_ptr<MemoryPool> pool_ = std::make_shared<MemoryPool>(3 * kChunkBytes);

  // The members below are used only by the inflating thread.
  std::shared_ptr<Chunk> current_;
  std::shared_ptr<Chunk> before_;
  std::uint64_t written_ = 0;
  std::uint64_t point_distance_;
  std::uint64_t next_point_;

  mutable std::mutex mutex_;
  std::condition_variable_any expected_more_;
  // Guarded by mutex_:
  std::uint64_t expected_ = 0;
  SeekPoints known_;  // constant once the text is complete
  std::size_t most_recent_ = kChunksWhileLoading;
  mutable std::vector<Recent> recent_;  // oldest first
  mutable std::vector<std::unique_ptr<Cursor>> cursors_;
};

/// Writes inflated text into a GzipSource.
class GzipWriter : public TextWriter {
 public:
  /// `source` must be the source of `out`. For the other parameters, see TextWriter.
  GzipWriter(GrowingText& out, GzipSource& source, const DecompressionLimit& limit,
             std::atomic<std::uint64_t>& bytes_read, const ByteStream* in)
      : TextWriter(out, limit, bytes_read, in), source_(source) {}

  std::span<std::uint8_t> room(const std::stop_token& stop) override { return source_.room(stop); }
  bool commit(std::size_t count, std::uint32_t crc_before, std::uint32_t crc_after) override;
  bool seek_point_due() override { return source_.seek_point_due(); }
  void add_point(const SeekPoint& point) override { source_.add_point(point); }
  void finish() override;

 private:
  GzipSource& source_;
};

}  // namespace kino
