#include "loaders/cache/index_file.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <xxhash.h>

#include "core/base/parallel.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/base/platform/file_stamp.hpp"
#include "core/trace/trace_check.hpp"
#include "core/trace/trace_members.hpp"
#include "loaders/cache/member_bytes.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kMagic = 0x31306f6e694b0a0dULL;  // "\r\nKino01", little endian
constexpr std::uint64_t kVersion = 4;
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kMostBlockBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMostPathBytes = std::uint64_t{64} << 10;

struct Footer {
  std::uint64_t magic = kMagic;
  std::uint64_t version = kVersion;
  std::uint64_t program = 0;
  std::uint64_t layout = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t inflated_bytes = 0;
  std::uint64_t catalog_offset = 0;
  std::uint64_t catalog_bytes = 0;
  std::uint64_t catalog_hash = 0;
  std::uint64_t path_bytes = 0;
  std::uint64_t source_bytes = 0;
  std::int64_t source_modified_ns = 0;
  std::int64_t source_changed_ns = 0;
  std::uint64_t source_inode = 0;
  std::uint64_t source_hash = 0;
  std::uint64_t hash = 0;  ///< covers the path and the members above
};
static_assert(std::has_unique_object_representations_v<Footer>);

std::uint64_t hash_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::uint64_t footer_hash(const Footer& footer, std::string_view path) {
  std::string all(path);
  all += bytes_of(footer).substr(0, sizeof footer - sizeof footer.hash);
  return hash_of(all);
}

/// Returns a value that identifies the build of the program.
std::uint64_t program_stamp() {
  const std::optional<FileStamp> program = stamp_of_program();
  if (!program) return 0;
  const std::int64_t parts[] = {static_cast<std::int64_t>(program->size_bytes), program->modified_ns};
  return hash_of(bytes_of(parts));
}

std::uint64_t aligned(std::uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

/// Upper bound for the size of the catalog: each track and row needs at least one event of the text.
std::uint64_t most_catalog_bytes(std::uint64_t text_bytes) {
  return (std::uint64_t{1} << 20) + 16 * text_bytes;
}

/// Upper bound for the number of elements of a column.
std::uint64_t most_elements(std::uint64_t text_bytes) { return 64 + text_bytes; }

// Hash of the layout: files with another layout are refused even if kVersion was not raised.
std::uint64_t layout() {
  return mixed_layout(mixed_layout(layout_of<Trace>(kVersion), kSliceKindCount), kDamageReasonCount);
}

// ---- Writing

Error write_failure(const Error& why, std::uint64_t offset) {
  const Error::Kind kind = why.kind == Error::Kind::no_space ? why.kind : Error::Kind::system;
  return {kind, "The index cannot be written: " + why.what.str(), offset};
}

std::optional<Error> write_text_at(int fd, std::string_view text, std::uint64_t offset) {
  return write_at(fd, std::as_bytes(std::span(text)), offset);
}

/// Writes columns to the file immediately, and collects the catalog in memory.
class IndexWriter : public MemberWriter<IndexWriter> {
 public:
  IndexWriter(int fd, std::uint64_t begin, const std::stop_token& stop) : fd_(fd), at_(begin), stop_(stop) {}

  using MemberWriter::put;
  template <class T>
  void put(const Column<T>& column) {
    put_column({reinterpret_cast<const char*>(column.data()), column.size_bytes()}, column.size());
  }

  const std::optional<Error>& error() const { return error_; }
  const std::string& catalog() const { return bytes(); }
  std::uint64_t end() const { return at_; }

 private:
  void put_column(std::string_view bytes, std::uint64_t count) {
    if (error_) return;
    at_ = aligned(at_);
    put(at_);
    put(count);
    for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(bytes.size(), kPieceBytes))) {
      const std::string_view piece = bytes.substr(0, kPieceBytes);
      if (stop_.stop_requested()) {
        error_ = {Error::Kind::cancelled, "Caching the trace was cancelled"};
      } else if (const auto why = write_text_at(fd_, piece, at_)) {
        error_ = write_failure(*why, at_);
      }
      if (error_) return;
      put(hash_of(piece));
      at_ += piece.size();
    }
  }

  int fd_;
  std::uint64_t at_;
  const std::stop_token& stop_;
  std::optional<Error> error_;
};

// ---- Reading

bool read_whole_at(int fd, std::span<char> out, std::uint64_t offset) {
  const Result<std::size_t> got = read_at(fd, std::as_writable_bytes(out), offset);
  return got && got.value() == out.size();
}

/// A part of a column with its own checksum.
struct Piece {
  std::span<char> target;
  std::uint64_t offset;
  std::uint64_t hash;
};

/// Reads a catalog, and lists the pieces of the columns for read_pieces().
class CatalogReader : public MemberReader<CatalogReader> {
 public:
  /// A catalog is invalid if a column is not within [columns_begin, columns_end) of the file.
  CatalogReader(std::string_view catalog, std::uint64_t columns_begin, std::uint64_t columns_end,
                std::uint64_t most_elements)
      : MemberReader(catalog), begin_(columns_begin), end_(columns_end), most_elements_(most_elements) {}

  using MemberReader::get;
  template <class T>
  void get(Column<T>& column) {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
    get(offset);
    get(count);
    require(count <= most_elements_ && offset >= begin_ && offset <= end_ &&
            count <= (end_ - offset) / sizeof(T));
    if (!good()) return;
    column = Column<T>(count);
    std::span<char> target(reinterpret_cast<char*>(column.data()), column.size_bytes());
    while (!target.empty() && good()) {
      const std::span<char> part = target.first(std::min<std::size_t>(target.size(), kPieceBytes));
      Piece piece{part, offset, 0};
      get(piece.hash);
      pieces_.push_back(piece);
      target = target.subspan(part.size());
      offset += part.size();
    }
  }

  std::vector<Piece>& pieces() { return pieces_; }

 private:
  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint64_t most_elements_;
  std::vector<Piece> pieces_;
};

void get_text(CatalogReader& reader, IndexedText& text) {
  reader.get(text.blocks);
  reader.get(text.seek_points.points);
  reader.get(text.seek_points.windows);
}

bool read_pieces(int fd, const std::vector<Piece>& pieces, unsigned threads, const std::stop_token& stop) {
  std::atomic<bool> good{true};
  parallel_for(thread_count_or_default(threads), pieces.size(), stop, [&](std::size_t i, unsigned) {
    const Piece& piece = pieces[i];
    if (!good.load(std::memory_order_relaxed)) return;
    if (!read_whole_at(fd, piece.target, piece.offset) ||
        hash_of({piece.target.data(), piece.target.size()}) != piece.hash) {
      good = false;
    }
  });
  return good && !stop.stop_requested();
}

bool is_of_this_program(const Footer& footer) {
  return footer.magic == kMagic && footer.version == kVersion && footer.program == program_stamp() &&
         footer.layout == layout();
}

/// Returns whether the blocks have acceptable sizes and cover the whole text.
bool covers(const std::vector<TextBlock>& blocks, std::uint64_t text_bytes) {
  std::uint64_t end = 0;
  for (const TextBlock& block : blocks) {
    if (block.end <= end || block.end - end > kMostBlockBytes) return false;
    end = block.end;
  }
  return end == text_bytes;
}

/// Returns whether all points are sorted, are within the file (of `file_bytes`) and its text, and have their
/// windows.
bool is_consistent(const SeekPoints& known, std::uint64_t file_bytes) {
  constexpr std::uint64_t kMostRatio = 1032;  // deflate: at most 258 bytes per two bits
  if (known.text_bytes / kMostRatio > file_bytes) return false;
  std::uint64_t text_offset = 0;
  std::uint64_t bit_offset = 0;
  std::uint64_t windows = 0;
  for (const SeekPoint& point : known.points) {
    if (point.text_offset <= text_offset || point.text_offset > known.text_bytes ||
        point.bit_offset <= bit_offset || point.bit_offset / 8 >= file_bytes || point.has_window > 1) {
      return false;
    }
    text_offset = point.text_offset;
    bit_offset = point.bit_offset;
    windows += point.has_window;
  }
  return windows == known.windows.size();
}

/// Returns whether the offsets in the footer are within the file.
bool offsets_fit(const Footer& footer, std::uint64_t file_bytes) {
  if (footer.file_bytes != file_bytes || footer.path_bytes > kMostPathBytes ||
      footer.path_bytes > file_bytes - sizeof footer) {
    return false;
  }
  const std::uint64_t path_offset = file_bytes - sizeof footer - footer.path_bytes;
  return footer.text_bytes <= footer.catalog_offset && footer.catalog_offset <= path_offset &&
         footer.catalog_bytes == path_offset - footer.catalog_offset;
}

}  // namespace

std::optional<Error> write_index(int fd, const IndexedText& text, const Trace& trace, const SourceKey& source,
                                 const std::stop_token& stop) {
  if (!covers(text.blocks, text.bytes)) return Error{Error::Kind::system, "The text has no checksums"};
  IndexWriter writer(fd, text.bytes, stop);
  writer.put(text.blocks);
  writer.put(text.seek_points.points);
  writer.put(text.seek_points.windows);
  writer.put(trace);
  if (writer.error()) return writer.error();
  const std::string& catalog = writer.catalog();
  const std::uint64_t text_bytes = std::max({text.bytes, text.seek_points.text_bytes, source.size_bytes});
  if (catalog.size() > most_catalog_bytes(text_bytes) || source.path.size() > kMostPathBytes) {
    return Error{Error::Kind::too_large, "The index would be too large for its trace"};
  }
  const std::uint64_t catalog_end = writer.end() + catalog.size();
  Footer footer{.program = program_stamp(),
                .layout = layout(),
                .file_bytes = catalog_end + source.path.size() + sizeof footer,
                .text_bytes = text.bytes,
                .inflated_bytes = text.seek_points.text_bytes,
                .catalog_offset = writer.end(),
                .catalog_bytes = catalog.size(),
                .catalog_hash = hash_of(catalog),
                .path_bytes = source.path.size(),
                .source_bytes = source.size_bytes,
                .source_modified_ns = source.modified_ns,
                .source_changed_ns = source.changed_ns,
                .source_inode = source.inode,
                .source_hash = source.hash};
  footer.hash = footer_hash(footer, source.path);
  const std::string end = source.path + std::string(bytes_of(footer));
  std::optional<Error> why = write_text_at(fd, catalog, footer.catalog_offset);
  if (!why) why = write_text_at(fd, end, catalog_end);
  if (!why) return std::nullopt;
  return write_failure(*why, footer.catalog_offset);
}

std::optional<IndexHead> read_index_head(int fd) {
  const std::optional<FileStamp> file = stamp_of(fd);
  if (!file) return std::nullopt;
  const std::uint64_t file_bytes = file->size_bytes;
  Footer footer;
  if (file_bytes < sizeof footer) return std::nullopt;
  if (!read_whole_at(fd, {reinterpret_cast<char*>(&footer), sizeof footer}, file_bytes - sizeof footer))
    return std::nullopt;
  if (!is_of_this_program(footer) || !offsets_fit(footer, file_bytes)) return std::nullopt;
  std::string path(footer.path_bytes, '\0');
  if (!read_whole_at(fd, path, file_bytes - sizeof footer - path.size())) return std::nullopt;
  if (footer.hash != footer_hash(footer, path)) return std::nullopt;
  return IndexHead{{std::move(path), footer.source_bytes, footer.source_modified_ns, footer.source_changed_ns,
                    footer.source_inode, footer.source_hash},
                   footer.text_bytes,
                   footer.inflated_bytes,
                   footer.catalog_offset,
                   footer.catalog_bytes,
                   footer.catalog_hash};
}

ReadTrace read_trace(int fd, const IndexHead& head, std::uint64_t text_bytes, unsigned threads,
                     const std::stop_token& stop) {
  if (head.catalog_bytes > most_catalog_bytes(text_bytes)) return {};
  std::string catalog(head.catalog_bytes, '\0');
  if (!read_whole_at(fd, catalog, head.catalog_offset) || hash_of(catalog) != head.catalog_hash) return {};
  auto trace = std::make_shared<Trace>();
  CatalogReader reader(catalog, head.text_bytes, head.catalog_offset, most_elements(text_bytes));
  IndexedText text{.bytes = head.text_bytes, .blocks = {}, .seek_points = {}};
  text.seek_points.text_bytes = head.inflated_bytes;
  get_text(reader, text);
  reader.get(*trace);
  if (!reader.complete() || !covers(text.blocks, head.text_bytes) ||
      !is_consistent(text.seek_points, head.source.size_bytes) ||
      !read_pieces(fd, reader.pieces(), threads, stop) || !is_consistent(*trace, threads, stop)) {
    return {};
  }
  return {std::move(trace), std::move(text)};
}

void update_index_checksums(std::string& file) {
  Footer footer;
  if (file.size() < sizeof footer) return;
  std::memcpy(&footer, file.data() + file.size() - sizeof footer, sizeof footer);
  footer.file_bytes = file.size();
  if (!offsets_fit(footer, file.size())) return;
  char* const catalog = file.data() + footer.catalog_offset;
  Trace trace;
  CatalogReader reader({catalog, footer.catalog_bytes}, footer.text_bytes, footer.catalog_offset,
                       file.size());
  IndexedText text;
  get_text(reader, text);
  reader.get(trace);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> wrong;  // (stored checksum, correct checksum)
  for (const Piece& piece : reader.pieces()) {
    wrong.emplace_back(piece.hash, hash_of(std::string_view(file).substr(piece.offset, piece.target.size())));
  }
  std::size_t from = 0;  // checksums have the order of the catalog
  for (const auto& [stored, right] : wrong) {
    const std::size_t at = std::string_view(catalog, footer.catalog_bytes).find(bytes_of(stored), from);
    if (at == std::string_view::npos) break;
    std::memcpy(catalog + at, &right, sizeof right);
    from = at + sizeof right;
  }
  footer.catalog_hash = hash_of({catalog, footer.catalog_bytes});
  const std::string path = file.substr(file.size() - sizeof footer - footer.path_bytes, footer.path_bytes);
  footer.hash = footer_hash(footer, path);
  std::memcpy(file.data() + file.size() - sizeof footer, &footer, sizeof footer);
}

}  // namespace kino
