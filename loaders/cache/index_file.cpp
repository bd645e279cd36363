#include "loaders/cache/index_file.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/base/parallel.hpp"
#include "core/trace/trace_check.hpp"
#include "core/trace/trace_members.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kMagic = 0x31306f6e694b0a0dULL;  // told apart from what starts with text
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
  std::uint64_t hash = 0;  ///< of the path and of what stands above
};
static_assert(std::has_unique_object_representations_v<Footer>);

std::uint64_t hash_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::uint64_t footer_hash(const Footer& footer, std::string_view path) {
  std::string all(path);
  all += bytes_of(footer).substr(0, sizeof footer - sizeof footer.hash);
  return hash_of(all);
}

/// Another build of the program is another file.
std::uint64_t program_stamp() {
  struct stat status {};
  if (::stat("/proc/self/exe", &status) != 0) return 0;
  const std::int64_t parts[] = {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
  return hash_of(bytes_of(parts));
}

std::uint64_t aligned(std::uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

/// More than what a text of this size can make of everything but columns: a track or a row takes at least an
/// event.
std::uint64_t most_catalog_bytes(std::uint64_t text_bytes) {
  return (std::uint64_t{1} << 20) + 16 * text_bytes;
}

/// How many elements of one column there can be at most.
std::uint64_t most_elements(std::uint64_t text_bytes) { return 64 + text_bytes; }

template <class T>
struct IsColumn : std::false_type {};
template <class T>
struct IsColumn<Column<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

/// Stored as it is in memory.
template <class T>
constexpr bool kPlain = std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                        (std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>);

// ---- Fingerprint of the listing: a file of another layout is refused even if nobody thought of the version

constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  return (seed ^ value) * 0x9E3779B97F4A7C15ULL + (seed >> 29);
}

template <class T>
constexpr std::uint64_t layout_of(std::uint64_t seed);

template <class... T>
constexpr std::uint64_t layout_of_all(std::uint64_t seed, std::type_identity<std::tuple<T&...>> /*members*/) {
  ((seed = layout_of<T>(seed)), ...);
  return seed;
}

template <class T>
constexpr std::uint64_t layout_of(std::uint64_t seed) {
  if constexpr (HasMembers<T>) {
    return layout_of_all(mixed(seed, 1), std::type_identity<decltype(members_of(std::declval<T&>()))>());
  } else if constexpr (IsColumn<T>::value) {
    return mixed(mixed(seed, 2), sizeof(std::declval<T>()[0]));
  } else if constexpr (IsVector<T>::value) {
    return layout_of<typename T::value_type>(mixed(seed, 3));
  } else {
    return mixed(mixed(seed, 4), sizeof(T));
  }
}

std::uint64_t layout() {
  return mixed(mixed(layout_of<Trace>(kVersion), kSliceKindCount), kDamageReasonCount);
}

// ---- Writing

bool write_at(int fd, std::string_view data, std::uint64_t offset) {
  while (!data.empty()) {
    const ssize_t put = ::pwrite(fd, data.data(), data.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      if (put == 0) errno = ENOSPC;
      return false;
    }
    data.remove_prefix(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
  return true;
}

/// Writes columns at once, and gathers the catalog.
class IndexWriter {
 public:
  IndexWriter(int fd, std::uint64_t begin, const std::stop_token& stop) : fd_(fd), at_(begin), stop_(stop) {}

  template <class T>
  void put(const T& value) {
    if (error_) return;
    if constexpr (HasMembers<T>) {
      std::apply([this](const auto&... member) { (this->put(member), ...); }, members_of(value));
    } else if constexpr (IsColumn<T>::value) {
      put_column({reinterpret_cast<const char*>(value.data()), value.size_bytes()}, value.size());
    } else if constexpr (IsVector<T>::value) {
      put(std::uint64_t{value.size()});
      if constexpr (kPlain<typename T::value_type> && !std::is_same_v<typename T::value_type, bool>) {
        catalog_.append(reinterpret_cast<const char*>(value.data()), value.size() * sizeof(value[0]));
      } else {
        for (const auto& element : value) put(element);
      }
    } else {
      static_assert(kPlain<T>, "list its members in core/trace/trace_members.hpp");
      catalog_ += bytes_of(value);
    }
  }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    catalog_ += text;
  }
  void put(const CompactText& text) { put(text.str()); }
  void put(const StringTable& table) {
    put(table.size());
    for (std::uint32_t i = 0; i < table.size(); ++i) put(std::uint64_t{table[i].size()});
    for (std::uint32_t i = 0; i < table.size(); ++i) catalog_ += table[i];
  }
  void put(const DamageLog& log) { put(log.entries()); }

  const std::optional<Error>& error() const { return error_; }
  const std::string& catalog() const { return catalog_; }
  std::uint64_t end() const { return at_; }

 private:
  void put_column(std::string_view bytes, std::uint64_t count) {
    at_ = aligned(at_);
    put(at_);
    put(count);
    for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(bytes.size(), kPieceBytes))) {
      const std::string_view piece = bytes.substr(0, kPieceBytes);
      if (stop_.stop_requested()) {
        error_ = {Error::Kind::cancelled, "Keeping the trace was cancelled", kNoOffset};
      } else if (!write_at(fd_, piece, at_)) {
        error_ = {errno == ENOSPC || errno == EDQUOT ? Error::Kind::no_space : Error::Kind::system,
                  std::string("The index cannot be written: ") + std::strerror(errno), at_};
      }
      if (error_) return;
      put(hash_of(piece));
      at_ += piece.size();
    }
  }

  int fd_;
  std::uint64_t at_;
  const std::stop_token& stop_;
  std::string catalog_;
  std::optional<Error> error_;
};

// ---- Reading

bool read_at(int fd, std::span<char> out, std::uint64_t offset) {
  while (!out.empty()) {
    const ssize_t got = ::pread(fd, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

/// A part of a column.
struct Piece {
  std::span<char> target;
  std::uint64_t offset;
  std::uint64_t hash;
};

/// Takes a catalog apart. Once something does not fit, good() is false and the rest is left as it is.
class CatalogReader {
 public:
  /// Columns lie in [columns_begin, columns_end) of the file.
  CatalogReader(std::string_view catalog, std::uint64_t columns_begin, std::uint64_t columns_end,
                std::uint64_t most_elements)
      : rest_(catalog), begin_(columns_begin), end_(columns_end), most_elements_(most_elements) {}

  template <class T>
  void get(T& value) {
    if (!good_) return;
    if constexpr (HasMembers<T>) {
      std::apply([this](auto&... member) { (this->get(member), ...); }, members_of(value));
    } else if constexpr (IsColumn<T>::value) {
      get_column(value);
    } else if constexpr (IsVector<T>::value) {
      get_vector(value);
    } else if constexpr (std::is_same_v<T, bool>) {
      const std::string_view byte = take(1);
      if (good_ && static_cast<unsigned char>(byte[0]) > 1) good_ = false;
      if (good_) value = byte[0] != 0;
    } else {
      static_assert(kPlain<T>, "list its members in core/trace/trace_members.hpp");
      const std::string_view bytes = take(sizeof value);
      if (good_) std::memcpy(&value, bytes.data(), sizeof value);
    }
  }
  void get(std::string& text) { text = take(get_count(1)); }
  void get(CompactText& text) { text = take(get_count(1)); }
  void get(StringTable& table) {
    std::uint32_t count = 0;
    get(count);
    const std::string_view sizes = take(count * sizeof(std::uint64_t));
    for (std::uint32_t i = 0; i < count && good_; ++i) {
      std::uint64_t size = 0;
      std::memcpy(&size, sizes.data() + i * sizeof size, sizeof size);
      const std::string_view text = take(size);
      good_ = good_ && table.intern(text) == i;  // twice the same text would be one
    }
  }
  void get(DamageLog& log) {
    std::vector<Damage> entries;
    get(entries);
    for (const Damage& entry : entries) {
      good_ = good_ && static_cast<int>(entry.reason) < kDamageReasonCount && entry.count > 0;
      if (good_) log.add(entry.reason, entry.first_offset, entry.sample, entry.count);
    }
    good_ = good_ && log.entries().size() == entries.size();
  }

  /// Nothing is left, and all that was read fits.
  bool complete() const { return good_ && rest_.empty(); }
  std::vector<Piece>& pieces() { return pieces_; }

 private:
  std::string_view take(std::uint64_t size) {
    if (!good_ || size > rest_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  /// A number of elements, each of which takes at least `least_bytes` of the rest.
  std::uint64_t get_count(std::uint64_t least_bytes) {
    std::uint64_t count = 0;
    get(count);
    good_ = good_ && count <= rest_.size() / least_bytes;
    return good_ ? count : 0;
  }

  template <class T>
  void get_vector(std::vector<T>& values) {
    const std::uint64_t count = get_count(kPlain<T> ? sizeof(T) : 1);
    if constexpr (kPlain<T> && !std::is_same_v<T, bool>) {
      const std::string_view bytes = take(count * sizeof(T));
      if (!good_) return;
      values.resize(count);
      if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    } else {
      for (std::uint64_t i = 0; i < count && good_; ++i) get(values.emplace_back());
    }
  }

  template <class T>
  void get_column(Column<T>& column) {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
    get(offset);
    get(count);
    good_ = good_ && count <= most_elements_ && offset >= begin_ && offset <= end_ &&
            count <= (end_ - offset) / sizeof(T);
    if (!good_) return;
    column = Column<T>(count);
    std::span<char> target(reinterpret_cast<char*>(column.data()), column.size_bytes());
    while (!target.empty() && good_) {
      const std::span<char> part = target.first(std::min<std::size_t>(target.size(), kPieceBytes));
      Piece piece{part, offset, 0};
      get(piece.hash);
      pieces_.push_back(piece);
      target = target.subspan(part.size());
      offset += part.size();
    }
  }

  std::string_view rest_;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint64_t most_elements_;
  std::vector<Piece> pieces_;
  bool good_ = true;
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
    if (!read_at(fd, piece.target, piece.offset) ||
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

/// Whether blocks of a bearable size make up all of a text.
bool covers(const std::vector<TextBlock>& blocks, std::uint64_t text_bytes) {
  std::uint64_t end = 0;
  for (const TextBlock& block : blocks) {
    if (block.end <= end || block.end - end > kMostBlockBytes) return false;
    end = block.end;
  }
  return end == text_bytes;
}

/// Whether all points lie in a file and a text of these sizes, in order, and have their windows.
bool holds_together(const SeekPoints& known, std::uint64_t file_bytes) {
  constexpr std::uint64_t kMostRatio = 1032;  // of deflate: 258 bytes for two bits
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

/// Whether the places in the footer lie inside the file.
bool places_fit(const Footer& footer, std::uint64_t file_bytes) {
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
  if (!covers(text.blocks, text.bytes)) {
    return Error{Error::Kind::system, "The text has no checksums", kNoOffset};
  }
  IndexWriter writer(fd, text.bytes, stop);
  writer.put(text.blocks);
  writer.put(text.seek_points.points);
  writer.put(text.seek_points.windows);
  writer.put(trace);
  if (writer.error()) return writer.error();
  const std::string& catalog = writer.catalog();
  const std::uint64_t of_text = std::max({text.bytes, text.seek_points.text_bytes, source.size_bytes});
  if (catalog.size() > most_catalog_bytes(of_text) || source.path.size() > kMostPathBytes) {
    return Error{Error::Kind::too_large, "The index would be too large for what it describes", kNoOffset};
  }
  Footer footer;
  footer.program = program_stamp();
  footer.layout = layout();
  footer.text_bytes = text.bytes;
  footer.inflated_bytes = text.seek_points.text_bytes;
  footer.catalog_offset = writer.end();
  footer.catalog_bytes = catalog.size();
  footer.catalog_hash = hash_of(catalog);
  footer.path_bytes = source.path.size();
  footer.source_bytes = source.size_bytes;
  footer.source_modified_ns = source.modified_ns;
  footer.source_changed_ns = source.changed_ns;
  footer.source_inode = source.inode;
  footer.source_hash = source.hash;
  footer.file_bytes = footer.catalog_offset + catalog.size() + source.path.size() + sizeof footer;
  footer.hash = footer_hash(footer, source.path);
  const std::string end = source.path + std::string(bytes_of(footer));
  if (write_at(fd, catalog, footer.catalog_offset) &&
      write_at(fd, end, footer.catalog_offset + catalog.size())) {
    return std::nullopt;
  }
  return Error{errno == ENOSPC || errno == EDQUOT ? Error::Kind::no_space : Error::Kind::system,
               std::string("The index cannot be written: ") + std::strerror(errno), footer.catalog_offset};
}

std::optional<IndexHead> read_index_head(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return std::nullopt;
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  Footer footer;
  if (file_bytes < sizeof footer) return std::nullopt;
  if (!read_at(fd, {reinterpret_cast<char*>(&footer), sizeof footer}, file_bytes - sizeof footer))
    return std::nullopt;
  if (!is_of_this_program(footer) || !places_fit(footer, file_bytes)) return std::nullopt;
  std::string path(footer.path_bytes, '\0');
  if (!read_at(fd, path, file_bytes - sizeof footer - path.size())) return std::nullopt;
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
  if (!read_at(fd, catalog, head.catalog_offset) || hash_of(catalog) != head.catalog_hash) return {};
  auto trace = std::make_shared<Trace>();
  CatalogReader reader(catalog, head.text_bytes, head.catalog_offset, most_elements(text_bytes));
  IndexedText text{.bytes = head.text_bytes, .blocks = {}, .seek_points = {}};
  text.seek_points.text_bytes = head.inflated_bytes;
  get_text(reader, text);
  reader.get(*trace);
  if (!reader.complete() || !covers(text.blocks, head.text_bytes) ||
      !holds_together(text.seek_points, head.source.size_bytes) ||
      !read_pieces(fd, reader.pieces(), threads, stop) || !holds_together(*trace, threads, stop)) {
    return {};
  }
  return {std::move(trace), std::move(text)};
}

void reseal_index(std::string& file) {
  Footer footer;
  if (file.size() < sizeof footer) return;
  std::memcpy(&footer, file.data() + file.size() - sizeof footer, sizeof footer);
  footer.file_bytes = file.size();
  if (!places_fit(footer, file.size())) return;
  char* const catalog = file.data() + footer.catalog_offset;
  Trace trace;
  CatalogReader reader({catalog, footer.catalog_bytes}, footer.text_bytes, footer.catalog_offset,
                       file.size());
  IndexedText text;
  get_text(reader, text);
  reader.get(trace);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> wrong;  // checksum as stored, and as it should be
  for (const Piece& piece : reader.pieces()) {
    wrong.emplace_back(piece.hash, hash_of(std::string_view(file).substr(piece.offset, piece.target.size())));
  }
  std::size_t from = 0;  // they stand in the catalog in this order
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
