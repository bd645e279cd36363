#include "loaders/formats/snapshot/snapshot_loader.hpp"

#include <algorithm>
#include <string>

#include "core/base/ascii.hpp"
#include "core/base/byte_text.hpp"
#include "loaders/bytes/byte_window.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/bytes/growing_stream.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/formats/snapshot/html_snapshot.hpp"
#include "loaders/formats/snapshot/pickle_reader.hpp"
#include "loaders/formats/snapshot/snapshot_json.hpp"

namespace kino {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kPadding = 256;                             // more than simdjson requires
constexpr std::uint64_t kMostJsonBytes = 0xffffff00U - kPadding;  // limit of simdjson
constexpr std::size_t kReadBytes = std::size_t{4} << 20U;
constexpr std::size_t kFewBytes = std::size_t{64} << 10U;

/// Records the reason for an early end in the damage log of the model.
void note_damage(SnapshotAssembler& into, const std::optional<Error>& why, bool truncated) {
  if (!why) return;
  into.damage().add(truncated ? DamageReason::truncated_file : DamageReason::unreadable_rest, why->offset,
                    why->what.str());
}

/// Records further pickles after STOP as damage, and discards their values. Ends at other data, which is
/// recorded once.
void note_rest(ByteWindow& in, DamageLog& damage, const std::function<bool()>& refilled) {
  constexpr std::size_t kHead = Damage::kSampleBytes;
  while (in.ensure(1)) {
    in.ensure(kHead);
    const std::string head(in.text(std::min(in.size(), kHead)));
    damage.add(DamageReason::trailing_data, in.offset(), head);
    if (!looks_like_pickle(head)) return;
    SnapshotAssembler unused;
    const Result<PickleEnd> end = read_pickle(in, unused, refilled);
    if (!end || end.value().damage) return;
  }
}

/// Builds the model. If nothing is readable, returns the reason for the early end.
Result<std::shared_ptr<const Snapshot>> finish(SnapshotAssembler& into, PlainValue root,
                                               const std::optional<Error>& why, SnapshotSource source,
                                               const std::function<DamageLog()>& source_damage,
                                               LoadProgress& progress, const std::stop_token& stop) {
  into.damage().merge(source_damage());
  progress.stage = LoadStage::arranging;
  Result<std::shared_ptr<const Snapshot>> made = into.finish(root, source, stop);
  if (!made && made.error().kind == Error::Kind::unknown_format && why) return *why;
  return made;
}

Result<std::shared_ptr<const Snapshot>> load_pickle(ByteStream& bytes, SnapshotSource source,
                                                    const LibraryList& libraries,
                                                    const std::function<DamageLog()>& source_damage,
                                                    LoadProgress& progress, const std::stop_token& stop) {
  ByteWindow window(bytes);
  SnapshotAssembler into(libraries);
  const auto refilled = [&] {
    progress.text_bytes = bytes.file_bytes_read();
    progress.events = into.entry_count();
    return !stop.stop_requested();
  };
  const Result<PickleEnd> end = read_pickle(window, into, refilled);
  if (!end) return end.error();
  // In a page, the text after the pickle is part of the page.
  if (!end.value().damage && source != SnapshotSource::html) note_rest(window, into.damage(), refilled);
  if (!refilled()) return cancelled("Loading");
  note_damage(into, end.value().damage, end.value().truncated);
  return finish(into, end.value().root, end.value().damage, source, source_damage, progress, stop);
}

Result<std::shared_ptr<const Snapshot>> load_json(GrowingStream& in, SnapshotSource source,
                                                  const LibraryList& libraries,
                                                  const std::function<DamageLog()>& source_damage,
                                                  LoadProgress& progress, const std::stop_token& stop) {
  Result<std::string> text = read_snapshot_text(in, progress, stop);
  if (!text) return text.error();
  const std::size_t size = text->size();
  SnapshotAssembler into(libraries);
  const auto progressed = [&] {
    progress.events = into.entry_count();
    return !stop.stop_requested();
  };
  const Result<JsonEnd> end = source == SnapshotSource::json ? read_snapshot_json(*text, into, progressed)
                                                             : read_memory_timeline(*text, into, progressed);
  if (!end) return end.error();
  progress.events = into.entry_count();
  const std::optional<Error>& why = end.value().damage;
  note_damage(into, why, why && why->offset >= size);
  *text = {};
  return finish(into, end.value().root, why, source, source_damage, progress, stop);
}

}  // namespace

Result<std::string> read_snapshot_text(ByteStream& in, LoadProgress& progress, const std::stop_token& stop) {
  std::string text;
  for (;;) {
    if (stop.stop_requested()) return cancelled("Loading");
    const std::size_t size = text.size();
    const std::size_t room = size <= kFewBytes ? kFewBytes : kReadBytes;  // small files use little memory
    text.resize(size + room);
    const Result<std::size_t> got = in.read({reinterpret_cast<std::uint8_t*>(text.data()) + size, room});
    text.resize(size + (got ? got.value() : 0));
    if (!got && text.empty()) return got.error();
    if (!got || got.value() == 0) break;
    progress.text_bytes = text.size();
    if (text.size() > kMostJsonBytes) {
      return Error{Error::Kind::too_large,
                   "A JSON snapshot can have at most " +
                       text_from_bytes(static_cast<double>(kMostJsonBytes), ByteUnits::decimal) +
                       "; a pickle can be larger"};
    }
  }
  if (stop.stop_requested()) return cancelled("Loading");
  if (std::string_view(text).starts_with("\xEF\xBB\xBF"sv)) text.erase(0, 3);
  text.reserve(text.size() + kPadding);
  return text;
}

Result<std::shared_ptr<const Snapshot>> load_snapshot(GrowingText& content, SnapshotSource source,
                                                      const LibraryList& libraries,
                                                      const std::function<DamageLog()>& source_damage,
                                                      LoadProgress& progress, const std::stop_token& stop) {
  GrowingStream in(content, stop);
  switch (source) {
    case SnapshotSource::pickle:
      return load_pickle(in, source, libraries, source_damage, progress, stop);
    case SnapshotSource::html: {
      HtmlSnapshotStream pickle(in);
      Result<std::shared_ptr<const Snapshot>> made =
          load_pickle(pickle, source, libraries, source_damage, progress, stop);
      if (!made && !pickle.found() && made.error().kind != Error::Kind::cancelled) {
        return unknown_format("This page of memory_viz contains no snapshot");
      }
      return made;
    }
    default:
      return load_json(in, source, libraries, source_damage, progress, stop);
  }
}

}  // namespace kino
