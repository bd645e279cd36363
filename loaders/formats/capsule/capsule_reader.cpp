#include "loaders/formats/capsule/capsule_reader.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <xxhash.h>

#include "core/base/parallel.hpp"
#include "core/trace/trace_check.hpp"
#include "loaders/bytes/zstd_frame.hpp"
#include "loaders/cache/member_bytes.hpp"
#include "loaders/formats/capsule/argument_block.hpp"
#include "loaders/formats/capsule/column_piece.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kMostPieceBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kMostBlockBytes = std::uint64_t{1} << 30;
constexpr std::size_t kMostHeadLine = 64;
constexpr std::uint64_t kMostSnapshotCatalog = std::uint64_t{64} << 20;

Error damaged(std::uint64_t offset) {
  return {Error::Kind::corrupt, "The capsule is truncated or damaged, so it cannot be used", offset};
}

bool read_whole_at(const TextSource& file, std::uint64_t offset, std::span<char> out) {
  const Result<std::size_t> got = file.read(offset, out);
  return got && got.value() == out.size();
}

std::string_view hashed(const CapsuleFooter& footer) {
  return bytes_of(footer).substr(0, sizeof footer - sizeof footer.hash);
}

/// A piece of a column in the file, and the memory that receives its elements.
struct Piece {
  std::span<char> target;
  std::size_t element_bytes = 0;
  PieceCoding coding{};
  CapsulePart part;
};

class CatalogReader : public MemberReader<CatalogReader> {
 public:
  /// Reads the catalog. Parts must end at or before `parts_end`. All columns together have at most
  /// `most_bytes`.
  CatalogReader(std::string_view catalog, std::uint64_t parts_end, std::uint64_t most_bytes)
      : MemberReader(catalog), parts_end_(parts_end), bytes_left_(most_bytes) {}

  using MemberReader::get;
  template <HasMembers T>
  void get_members(T& value) {
    constexpr auto kNames = member_names<T>();
    std::uint8_t count = 0;
    get(count);
    for (std::uint8_t i = 0; i < count && good(); ++i) {
      std::uint8_t name_bytes = 0;
      get(name_bytes);
      const std::string_view name = take(name_bytes);
      std::uint64_t body_bytes = 0;
      get(body_bytes);
      const std::string_view body = take(body_bytes);
      if (!good()) return;
      const std::string_view after = std::exchange(rest_, body);
      std::size_t index = 0;
      bool known = false;
      std::apply(
          [&](auto&... member) {
            (((kNames[index++] == name && !known) ? (known = true, get(member)) : void()), ...);
          },
          members_of(value));
      require(!known || rest_.empty());
      rest_ = after;
    }
  }
  template <class T>
  void get(Column<T>& column) {
    std::uint8_t element_bytes = 0;
    std::uint64_t count = 0;
    std::uint32_t piece_elements = 0;
    get(element_bytes);
    get(count);
    get(piece_elements);
    require(element_bytes == sizeof(T) && piece_elements > 0 && count <= bytes_left_ / sizeof(T) &&
            piece_elements <= kMostPieceBytes / sizeof(T));
    if (!good()) return;
    bytes_left_ -= count * sizeof(T);
    column = Column<T>(count);
    std::span<char> target(reinterpret_cast<char*>(column.data()), column.size_bytes());
    while (!target.empty() && good()) {
      Piece piece{
          target.first(std::min<std::size_t>(target.size(), piece_elements * sizeof(T))), sizeof(T), {}, {}};
      std::uint8_t coding = 0;
      get(coding);
      get(piece.part);
      require(coding < kPieceCodingCount && fits(piece.part) && piece.part.bytes == piece.target.size());
      if (!good()) return;
      piece.coding = PieceCoding{coding};
      require(has_coding(sizeof(T), piece.coding));
      target = target.subspan(piece.target.size());
      pieces_.push_back(piece);
    }
  }
  void get(LodIndex& /*rebuilt*/) {}

  bool fits(const CapsulePart& part) const {
    return part.offset <= parts_end_ && part.stored_bytes <= parts_end_ - part.offset;
  }
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::uint64_t parts_end_;
  std::uint64_t bytes_left_;
  std::vector<Piece> pieces_;
};

std::optional<Error> read_pieces(const TextSource& file, const std::vector<Piece>& pieces, unsigned threads,
                                 const std::stop_token& stop) {
  std::atomic<std::uint64_t> bad{kNoOffset};
  std::vector<PartBuffers> buffers(threads);
  parallel_for(threads, pieces.size(), stop, [&](std::size_t i, unsigned worker) {
    const Piece& piece = pieces[i];
    if (bad.load(std::memory_order_relaxed) != kNoOffset) return;
    PartBuffers& own = buffers[worker];
    if (read_part(file, piece.part, own)) {
      bad = piece.part.offset;
    } else {
      decode_piece(own.bytes, piece.target, piece.element_bytes, piece.coding);
    }
  });
  if (stop.stop_requested()) return cancelled("Loading");
  if (bad != kNoOffset) return damaged(bad);
  return std::nullopt;
}

/// Converts kinds from the values of the build that wrote the capsule. Unknown kinds become `other`. Returns
/// false if a value has no name in `names`.
bool renumber_kinds(const std::vector<std::string>& names, Trace& trace) {
  std::vector<SliceKind> kind_of(names.size(), SliceKind::other);
  bool same = names.size() == static_cast<std::size_t>(kSliceKindCount);
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (int kind = 0; kind < kSliceKindCount; ++kind) {
      if (text_of(SliceKind{static_cast<std::uint8_t>(kind)}) == names[i])
        kind_of[i] = SliceKind{static_cast<std::uint8_t>(kind)};
    }
    same = same && static_cast<std::size_t>(kind_of[i]) == i;
  }
  const auto known = [&](SliceKind kind) { return static_cast<std::size_t>(kind) < kind_of.size(); };
  if (!std::ranges::all_of(trace.slices.kind, known) || !std::ranges::all_of(trace.name_kind, known))
    return false;
  if (same) return true;
  for (SliceKind& kind : trace.slices.kind.span()) kind = kind_of[static_cast<std::size_t>(kind)];
  for (SliceKind& kind : trace.name_kind) kind = kind_of[static_cast<std::size_t>(kind)];
  return true;
}

/// Returns whether no duration of a row is negative, and their sum fits in 64 bits.
bool can_be_summed(const Trace& trace, const Row& row) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t sum = 0;
  for (const std::int64_t duration : trace.slices.duration_ns.sub(row.first_slice, row.slice_count)) {
    if (duration < 0) return false;
    sum += static_cast<std::uint64_t>(duration);
    if (sum > kMost) return false;
  }
  return true;
}

/// Builds the level-of-detail index, which capsules do not contain. Returns false for invalid rows.
bool make_index(Trace& trace, unsigned threads, const std::stop_token& stop) {
  LodRow next;
  for (Row& row : trace.rows) {
    if (row.first_slice > trace.slice_count() || row.slice_count > trace.slice_count() - row.first_slice ||
        trace.slices.duration_ns.size() != trace.slice_count() ||
        next.longest_offset > trace.slice_count() * 2) {
      return false;
    }
    row.lod = next;
    next.longest_offset += LodIndex::longest_size(row.slice_count);
    next.busy_offset += LodIndex::busy_size(row.slice_count);
  }
  trace.lod.longest = Column<std::uint32_t>(next.longest_offset);
  trace.lod.busy_prefix_ns = Column<std::int64_t>(next.busy_offset);
  std::atomic<bool> good{true};
  parallel_for(threads, trace.rows.size(), stop, [&](std::size_t i, unsigned) {
    const Row& row = trace.rows[i];
    if (can_be_summed(trace, row)) {
      trace.lod.build_row(row.lod, trace.slices.duration_ns.sub(row.first_slice, row.slice_count));
    } else {
      good = false;
    }
  });
  return good;
}

std::optional<CapsuleFooter> read_footer(const TextSource& file) {
  CapsuleFooter footer;
  const std::uint64_t size = file.size_bytes();
  if (size < sizeof footer ||
      !read_whole_at(file, size - sizeof footer, {reinterpret_cast<char*>(&footer), sizeof footer})) {
    return std::nullopt;
  }
  const std::uint64_t end = size - sizeof footer;
  if (footer.magic != CapsuleFooter::kEnd || footer.hash != part_hash(hashed(footer)) ||
      footer.file_bytes != size || footer.catalog.offset > end ||
      footer.catalog.stored_bytes != end - footer.catalog.offset ||
      footer.catalog.bytes > most_capsule_bytes(size)) {
    return std::nullopt;
  }
  return footer;
}

/// Returns nullopt if this program can read the file's version.
std::optional<Error> check_version(const TextSource& file, std::string_view magic, int newest) {
  const Result<std::string> head = file.read_text(0, kMostHeadLine);
  if (!head.ok()) return head.error();
  if (!head.value().starts_with(magic)) return damaged(0);
  const std::string_view number = std::string_view(head.value()).substr(magic.size());
  int version = 0;
  const auto [end, wrong] = std::from_chars(number.data(), number.data() + number.size(), version);
  if (wrong != std::errc() || version < 1 || end == number.data() + number.size() || *end != '\n')
    return damaged(0);
  if (version <= newest) return std::nullopt;
  return Error{Error::Kind::unknown_format, "The capsule has version " + std::to_string(version) +
                                                ", written by a newer Kinetoscope; this one reads version " +
                                                std::to_string(newest)};
}

}  // namespace

std::uint64_t part_hash(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

bool is_capsule(std::string_view head) { return head.starts_with(kCapsuleMagic); }

bool is_snapshot_capsule(std::string_view head) { return head.starts_with(kSnapshotCapsuleMagic); }

std::optional<Error> read_part(const TextSource& file, const CapsulePart& part, PartBuffers& buffers) {
  if (part.stored_bytes > file.size_bytes() ||
      part.bytes > kMostBlockBytes + most_capsule_bytes(part.stored_bytes)) {
    return damaged(part.offset);
  }
  buffers.stored.resize(part.stored_bytes);
  if (!read_whole_at(file, part.offset, buffers.stored) || part_hash(buffers.stored) != part.hash)
    return damaged(part.offset);
  buffers.bytes.resize(part.bytes);
  if (!zstd_unpacked(buffers.stored, buffers.bytes)) return damaged(part.offset);
  return std::nullopt;
}

Result<std::string> read_part(const TextSource& file, const CapsulePart& part) {
  PartBuffers buffers;
  if (auto error = read_part(file, part, buffers)) return std::move(*error);
  return std::move(buffers.bytes);
}

Result<ReadCapsule> read_capsule(const TextSource& file, unsigned threads, const std::stop_token& stop) {
  threads = thread_count_or_default(threads);
  if (auto error = check_version(file, kCapsuleMagic, kCapsuleVersion)) return std::move(*error);
  const std::optional<CapsuleFooter> footer = read_footer(file);
  if (!footer) return damaged(file.size_bytes());
  const Result<std::string> catalog = read_part(file, footer->catalog);
  if (!catalog.ok()) return catalog.error();
  ReadCapsule capsule;
  auto trace = std::make_shared<Trace>();
  CatalogReader reader(catalog.value(), footer->catalog.offset, most_capsule_bytes(file.size_bytes()));
  reader.get(capsule.facts);
  reader.get(*trace);
  const auto readable = [&](const std::vector<CapsulePart>& blocks) {
    return std::ranges::all_of(blocks, [&](const CapsulePart& part) {
      return reader.fits(part) &&
             part.bytes <= std::min(kMostBlockBytes, most_capsule_bytes(file.size_bytes()));
    });
  };
  if (!reader.complete() || !readable(capsule.facts.slice_arguments) ||
      !readable(capsule.facts.instant_arguments)) {
    return damaged(footer->catalog.offset);
  }
  if (auto error = read_pieces(file, reader.pieces(), threads, stop)) return std::move(*error);
  const bool good = renumber_kinds(capsule.facts.kinds, *trace) && make_index(*trace, threads, stop) &&
                    is_consistent(*trace, threads, stop);
  if (stop.stop_requested()) return cancelled("Loading");
  if (!good) return damaged(footer->catalog.offset);
  capsule.trace = std::move(trace);
  return capsule;
}

Result<SnapshotCapsuleFacts> read_snapshot_capsule(const TextSource& file) {
  if (auto error = check_version(file, kSnapshotCapsuleMagic, kSnapshotCapsuleVersion))
    return std::move(*error);
  const std::optional<CapsuleFooter> footer = read_footer(file);
  if (!footer || footer->catalog.bytes > kMostSnapshotCatalog) return damaged(file.size_bytes());
  const Result<std::string> catalog = read_part(file, footer->catalog);
  if (!catalog.ok()) return catalog.error();
  SnapshotCapsuleFacts facts;
  CatalogReader reader(catalog.value(), footer->catalog.offset, 0);
  reader.get(facts);
  std::uint64_t left = most_capsule_bytes(file.size_bytes());
  for (const CapsulePart& part : facts.content) {
    if (!reader.fits(part) || part.bytes > std::min(kMostContentPart, left)) return damaged(part.offset);
    left -= part.bytes;
  }
  if (!reader.complete()) return damaged(footer->catalog.offset);
  return facts;
}

void update_capsule_checksums(std::string& file) {
  CapsuleFooter footer;
  if (file.size() < sizeof footer) return;
  char* const end = file.data() + file.size() - sizeof footer;
  std::memcpy(&footer, end, sizeof footer);
  footer.file_bytes = file.size();
  const std::uint64_t before = file.size() - sizeof footer;
  footer.catalog.offset = std::min(footer.catalog.offset, before);
  footer.catalog.stored_bytes = before - footer.catalog.offset;
  footer.catalog.hash =
      part_hash(std::string_view(file).substr(footer.catalog.offset, footer.catalog.stored_bytes));
  footer.hash = part_hash(hashed(footer));
  std::memcpy(end, &footer, sizeof footer);
}

}  // namespace kino
