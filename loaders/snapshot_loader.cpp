#include "loaders/snapshot_loader.hpp"

#include <algorithm>
#include <string>

#include "core/ascii.hpp"
#include "core/byte_text.hpp"
#include "loaders/byte_window.hpp"
#include "loaders/file_kind.hpp"
#include "loaders/growing_stream.hpp"
#include "loaders/html_snapshot.hpp"
#include "loaders/json_scan.hpp"
#include "loaders/pickle_reader.hpp"
#include "loaders/snapshot_json.hpp"

namespace kino {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kPadding = 256;                             // more than simdjson wants
constexpr std::uint64_t kMostJsonBytes = 0xffffff00U - kPadding;  // of simdjson
constexpr std::size_t kReadBytes = std::size_t{4} << 20U;

/// Files what ended the reading early as damage of the model.
void note_damage(SnapshotAssembler& into, const std::optional<Error>& why, bool truncated) {
  if (!why) return;
  into.damage().add(truncated ? DamageReason::truncated_file : DamageReason::unreadable_rest, why->offset,
                    why->what);
}

/// An early end of which nothing can be shown is the error itself.
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
                                                    const std::function<DamageLog()>& source_damage,
                                                    LoadProgress& progress, const std::stop_token& stop) {
  ByteWindow window(bytes);
  SnapshotAssembler into;
  const auto refilled = [&] {
    progress.text_bytes = bytes.file_bytes_read();
    progress.events = into.entry_count();
    return !stop.stop_requested();
  };
  const Result<PickleEnd> end = read_pickle(window, into, refilled);
  if (!end) return end.error();
  refilled();
  note_damage(into, end.value().damage, end.value().truncated);
  return finish(into, end.value().root, end.value().damage, source, source_damage, progress, stop);
}

Result<std::string> read_all(GrowingStream& in, LoadProgress& progress, const std::stop_token& stop) {
  std::string text;
  for (;;) {
    if (stop.stop_requested()) return cancelled("Loading");
    const std::size_t had = text.size();
    text.resize(had + kReadBytes);
    const Result<std::size_t> got = in.read({reinterpret_cast<std::uint8_t*>(text.data()) + had, kReadBytes});
    text.resize(had + (got ? got.value() : 0));
    if (!got && text.empty()) return got.error();
    if (!got || got.value() == 0) break;
    progress.text_bytes = text.size();
    if (text.size() > kMostJsonBytes) {
      return Error{Error::Kind::too_large,
                   "As JSON a snapshot may have up to " +
                       text_from_bytes(static_cast<double>(kMostJsonBytes)) + "; a pickle may have more",
                   kNoOffset};
    }
  }
  if (stop.stop_requested()) return cancelled("Loading");
  if (std::string_view(text).starts_with("\xEF\xBB\xBF"sv)) text.erase(0, 3);
  text.reserve(text.size() + kPadding);
  return text;
}

Result<std::shared_ptr<const Snapshot>> load_json(GrowingStream& in, SnapshotSource source,
                                                  const std::function<DamageLog()>& source_damage,
                                                  LoadProgress& progress, const std::stop_token& stop) {
  Result<std::string> text = read_all(in, progress, stop);
  if (!text) return text.error();
  const std::size_t size = text->size();
  SnapshotAssembler into;
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

std::optional<SnapshotSource> snapshot_source_of(std::string_view head) {
  if (looks_like_pickle(head)) return SnapshotSource::pickle;
  const std::size_t begin = skip_space(head, head.starts_with("\xEF\xBB\xBF"sv) ? 3 : 0);
  const std::string_view text = head.substr(std::min(begin, head.size()));
  if (text.starts_with('<')) {
    if (contains(text, "MemoryViz"sv) || contains(text, "memory_viz"sv)) return SnapshotSource::html;
    return std::nullopt;
  }
  if (!text.starts_with('{') && !text.starts_with('[')) return std::nullopt;
  if (trace_likeness(head) == TraceLikeness::trace) return std::nullopt;
  for (const std::string_view key : {R"("device_traces")"sv, R"("segments")"sv, R"("segment_type")"sv,
                                     R"("total_size")"sv, R"("allocator_settings")"sv}) {
    if (contains(text, key)) return SnapshotSource::json;
  }
  // [[time, action, bytes, category], ... or [[time, time, ...], [[0, bytes, ...
  std::size_t numbers = 0;
  std::size_t brackets = 0;
  for (const char c : text.substr(0, 200)) {
    if (c == '[') ++brackets;
    if (c == ']') break;
    if (c == ',') ++numbers;
    if (c != '[' && c != ',' && c != '-' && c != ' ' && c != '\n' && (c < '0' || c > '9'))
      return std::nullopt;
  }
  constexpr std::size_t kFewTimes = 8;  // a list of times is long
  const std::size_t end = text.find(']');
  const std::string_view behind = end == text.npos ? std::string_view() : text.substr(end + 1, 8);
  const bool of_times = numbers >= kFewTimes || behind.find("[[") != behind.npos;
  if (brackets == 2 && (numbers == 3 || of_times)) return SnapshotSource::memory_timeline;
  return std::nullopt;
}

bool looks_like_snapshot(std::string_view head) {
  const auto source = snapshot_source_of(head);
  if (!source || *source != SnapshotSource::pickle) return source.has_value();
  return contains(head, "segments"sv) || contains(head, "device_traces"sv) || contains(head, "total_size"sv);
}

Result<std::shared_ptr<const Snapshot>> load_snapshot(GrowingText& content, SnapshotSource source,
                                                      const std::function<DamageLog()>& source_damage,
                                                      LoadProgress& progress, const std::stop_token& stop) {
  GrowingStream in(content, stop);
  switch (source) {
    case SnapshotSource::pickle:
      return load_pickle(in, source, source_damage, progress, stop);
    case SnapshotSource::html: {
      HtmlSnapshotStream pickle(in);
      Result<std::shared_ptr<const Snapshot>> made =
          load_pickle(pickle, source, source_damage, progress, stop);
      if (!made && !pickle.found() && made.error().kind != Error::Kind::cancelled) {
        return unknown_format("This page of memory_viz has no snapshot in it");
      }
      return made;
    }
    default:
      return load_json(in, source, source_damage, progress, stop);
  }
}

}  // namespace kino
