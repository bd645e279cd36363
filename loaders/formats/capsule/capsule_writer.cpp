#include "loaders/formats/capsule/capsule_writer.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/trace/event_facts.hpp"
#include "loaders/bytes/zstd_frame.hpp"
#include "loaders/cache/member_bytes.hpp"
#include "loaders/formats/capsule/capsule_reader.hpp"
#include "loaders/formats/capsule/column_piece.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kPieceElements = 1U << 17;
constexpr int kTryLevel = 1;

struct PackedPiece {
  PieceCoding coding = PieceCoding::plain;
  std::string frame;
};

/// Compresses the elements in the coding that is shortest after fast compression.
PackedPiece packed_piece(std::span<const char> elements, std::size_t element_bytes) {
  PackedPiece best;
  std::string coded;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::uint8_t number = 0; number < kPieceCodingCount; ++number) {
    const PieceCoding coding{number};
    if (!has_coding(element_bytes, coding)) continue;
    std::string candidate = coded_piece(elements, element_bytes, coding);
    const std::size_t size = zstd_packed(candidate, kTryLevel).size();
    if (size >= least) continue;
    least = size;
    best.coding = coding;
    coded = std::move(candidate);
  }
  best.frame = zstd_packed(coded, kCapsuleLevel);
  return best;
}

/// Collects the catalog in memory, and appends columns to the parts immediately.
class CatalogWriter : public MemberWriter<CatalogWriter> {
 public:
  CatalogWriter(CapsuleParts& parts, const Trace& trace, Redactor* redactor, unsigned threads,
                const std::stop_token& stop)
      : parts_(parts), trace_(trace), redactor_(redactor), threads_(threads), stop_(stop) {}

  using MemberWriter::put;
  template <HasMembers T>
  void put_members(const T& value) {
    constexpr auto kNames = member_names<T>();
    put(static_cast<std::uint8_t>(kNames.size()));
    std::size_t index = 0;
    std::apply([&](const auto&... member) { (put_member(kNames[index++], member), ...); }, members_of(value));
  }
  template <class T>
  void put(const Column<T>& column) {
    put_column({reinterpret_cast<const char*>(column.data()), column.size_bytes()}, sizeof(T));
  }
  void put(const LodIndex& /*rebuilt by the reader*/) {}
  void put(const std::string& text) { put_text(redactor_ != nullptr ? redactor_->text(text) : text); }
  void put(const CompactText& text) { put(text.str()); }
  void put(const StringTable& table) {
    if (redactor_ == nullptr) {
      MemberWriter::put(table);
    } else {
      MemberWriter::put(redacted(table));
    }
  }

  const std::string& catalog() const { return bytes(); }

 private:
  template <class T>
  void put_member(std::string_view name, const T& member) {
    put(static_cast<std::uint8_t>(name.size()));
    bytes_ += name;
    const std::size_t size_offset = bytes_.size();
    put(std::uint64_t{0});
    put(member);
    const std::uint64_t size = bytes_.size() - size_offset - sizeof size;
    std::memcpy(bytes_.data() + size_offset, &size, sizeof size);
  }

  void put_text(const std::string& text) {
    put(std::uint64_t{text.size()});
    bytes_ += text;
  }

  void put_column(std::span<const char> elements, std::size_t element_bytes) {
    const std::size_t piece_bytes = element_bytes * kPieceElements;
    const std::size_t pieces = (elements.size() + piece_bytes - 1) / piece_bytes;
    put(static_cast<std::uint8_t>(element_bytes));
    put(std::uint64_t{elements.size() / element_bytes});
    put(kPieceElements);
    std::vector<PackedPiece> packed(pieces);
    const auto piece_at = [&](std::size_t i) {
      return elements.subspan(i * piece_bytes, std::min(piece_bytes, elements.size() - i * piece_bytes));
    };
    parallel_for(threads_, pieces, stop_,
                 [&](std::size_t i, unsigned) { packed[i] = packed_piece(piece_at(i), element_bytes); });
    if (stop_.stop_requested()) return;
    for (std::size_t i = 0; i < pieces; ++i) {
      put(static_cast<std::uint8_t>(packed[i].coding));
      put(parts_.append(packed[i].frame, piece_at(i).size()));
    }
  }

  StringTable redacted(const StringTable& table) {
    std::vector<bool> frame(table.size());
    if (&table == &trace_.names) {
      for (std::size_t i = 0; i < trace_.slice_count(); ++i) {
        if (trace_.slices.kind[i] == SliceKind::python) frame[index_of(trace_.slices.name[i])] = true;
      }
    }
    StringTable out;
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      const std::string text = &table == &trace_.arguments.texts ? redacted_facts(table[i])
                               : frame[i]                        ? redactor_->frame(table[i])
                                                                 : redactor_->text(table[i]);
      std::string distinct = text;
      for (int suffix = 2; out.find(distinct) != StringTable::kAbsent; ++suffix) {
        distinct = text + " ~" + std::to_string(suffix);
      }
      out.intern(distinct);
    }
    return out;
  }

  /// Redacts (fact letter, value, NUL)*.
  std::string redacted_facts(std::string_view facts) {
    std::string out;
    while (!facts.empty()) {
      const auto letter = static_cast<Fact>(facts.front());
      const std::size_t end = std::min(facts.find('\0', 1), facts.size());
      const std::string_view value = facts.substr(1, end - 1);
      out += facts.front();
      out += letter == Fact::call_stack         ? redactor_->stack(value)
             : letter == Fact::module_hierarchy ? redactor_->modules(value)
                                                : redactor_->text(value);
      if (end < facts.size()) out += '\0';
      facts.remove_prefix(std::min(end + 1, facts.size()));
    }
    return out;
  }

  CapsuleParts& parts_;
  const Trace& trace_;
  Redactor* redactor_;
  unsigned threads_;
  const std::stop_token& stop_;
};

/// Passes all texts to a redactor that is learning.
class TextLearner : public MemberWriter<TextLearner> {
 public:
  explicit TextLearner(Redactor& redactor) : redactor_(redactor) {}

  using MemberWriter::put;
  template <class T>
  void put(const Column<T>& /*numbers*/) {}
  void put(const LodIndex& /*numbers*/) {}
  void put(const std::string& text) { redactor_.text(text); }
  void put(const CompactText& text) { redactor_.text(text.view()); }
  void put(const StringTable& table) {
    for (const std::string_view text : table) redactor_.text(text);
  }

 private:
  Redactor& redactor_;
};

/// Writes the catalog and the footer.
std::optional<Error> write_catalog(CapsuleParts& parts, const std::string& catalog) {
  CapsuleFooter footer;
  footer.catalog = parts.append(zstd_packed(catalog, kCapsuleLevel), catalog.size());
  footer.file_bytes = parts.end() + sizeof footer;
  if (!parts.error() && parts.bytes() > most_capsule_bytes(footer.file_bytes)) {
    return Error{Error::Kind::too_large,
                 "The capsule would decompress to more than readers accept for its size"};
  }
  footer.hash = part_hash(bytes_of(footer).substr(0, sizeof footer - sizeof footer.hash));
  parts.write(bytes_of(footer));
  return parts.error();
}

}  // namespace

void CapsuleParts::write(std::string_view bytes) {
  if (error_) return;
  if (auto why = write_at(fd_, std::as_bytes(std::span(bytes)), at_)) {
    const Error::Kind kind = why->kind == Error::Kind::no_space ? why->kind : Error::Kind::system;
    error_ = Error{kind, "The capsule cannot be written: " + why->what.str(), at_};
    return;
  }
  at_ += bytes.size();
}

CapsulePart CapsuleParts::append(std::string_view frame, std::uint64_t bytes) {
  const CapsulePart part{at_, frame.size(), bytes, part_hash(frame)};
  bytes_ += bytes;
  write(frame);
  return part;
}

std::optional<Error> write_capsule_end(CapsuleParts& parts, CapsuleFacts facts, const Trace& trace,
                                       Redactor* redactor, unsigned threads, const std::stop_token& stop) {
  CatalogWriter writer(parts, trace, redactor, thread_count_or_default(threads), stop);
  CatalogWriter first(parts, trace, nullptr, 1, stop);
  writer.put(trace);
  if (stop.stop_requested()) return cancelled("Packing");
  if (redactor != nullptr) {
    // Redacted after the trace, since these texts can contain frames that the redactor then knows.
    facts.title = redactor->text(facts.title);
    facts.note = redactor->json(facts.note);
    facts.settings = redactor->json(facts.settings);
    const auto counts = redactor->counts();
    facts.replaced.assign(counts.begin(), counts.end());
  }
  first.put(facts);
  return write_catalog(parts, first.catalog() + writer.catalog());
}

void learn_texts(const Trace& trace, Redactor& redactor) { TextLearner(redactor).put(trace); }

std::optional<Error> write_capsule_end(CapsuleParts& parts, const SnapshotCapsuleFacts& facts,
                                       const std::stop_token& stop) {
  const Trace none;
  CatalogWriter writer(parts, none, nullptr, 1, stop);
  writer.put(facts);
  return write_catalog(parts, writer.catalog());
}

}  // namespace kino
