#include "loaders/formats/capsule/snapshot_redaction.hpp"

#include <algorithm>
#include <string>

#include "loaders/bytes/byte_window.hpp"
#include "loaders/bytes/growing_stream.hpp"
#include "loaders/formats/snapshot/html_snapshot.hpp"
#include "loaders/formats/snapshot/pickle_reader.hpp"
#include "loaders/formats/snapshot/pickle_writer.hpp"
#include "loaders/formats/snapshot/snapshot_json.hpp"
#include "loaders/formats/snapshot/snapshot_loader.hpp"
#include "loaders/formats/snapshot/snapshot_words.hpp"

namespace kino {
namespace {

bool is_word_of_snapshots(std::string_view text) {
  return std::ranges::find(kSnapshotWords, text) != kSnapshotWords.end() ||
         snapshot_action_of(text) != SnapshotAction::unknown;
}

/// Returns a text after redaction. The user's texts are in frames, notes and annotations; the other texts are
/// words of the allocator.
std::string redacted_text(const PlainTree& tree, Redactor& redactor, PlainValue dict, PlainValue key,
                          std::string_view text) {
  if (key.tag() == PlainValue::Tag::none)
    return is_word_of_snapshots(text) ? std::string(text) : redactor.words(text);
  const std::string_view name = tree.text_of(key);
  const auto has = [&](std::string_view wanted) {
    return tree.find(dict, wanted).tag() != PlainValue::Tag::none;
  };
  const bool of_frame = has("filename") || (has("name") && !has("stage"));  // annotations have a stage
  if (of_frame) return name == "filename" ? redactor.frame_file(text) : redactor.frame_function(text);
  if (name.ends_with("frames")) return redactor.frame_function(text);  // one frame per line
  if (name == "action" || name == "state" || name == "segment_type" || name == "stage") {
    return is_word_of_snapshots(text) ? std::string(text) : redactor.words(text);
  }
  return redactor.value(name, text);
}

std::optional<Error> write_redacted(const PlainTree& tree, PlainValue root, Redactor& redactor,
                                    const std::function<bool(std::string_view)>& sink) {
  const auto redacted = [&](PlainValue dict, PlainValue key, std::string_view text) {
    return redacted_text(tree, redactor, dict, key, text);
  };
  redactor.set_learning(true);
  if (auto error = write_pickle(tree, root, redacted, [](std::string_view) { return true; })) return error;
  redactor.set_learning(false);
  return write_pickle(tree, root, redacted, sink);
}

Error damaged_snapshot(const Error& why) {
  return {why.kind, "only a whole snapshot can be redacted, and this one is damaged: " + why.what.str(),
          why.offset};
}

std::optional<Error> redact_pickle(ByteStream& bytes, bool page, Redactor& redactor,
                                   const std::function<bool(std::string_view)>& sink,
                                   const std::stop_token& stop) {
  ByteWindow window(bytes);
  PlainTree tree;
  const Result<PickleEnd> end = read_pickle(window, tree, [&] { return !stop.stop_requested(); });
  if (!end) return end.error();
  if (end.value().damage) return damaged_snapshot(*end.value().damage);
  if (auto error = write_redacted(tree, end.value().root, redactor, sink)) return error;
  // If data follows the end, one byte is written, so that readers still report the damage.
  if (!page && window.ensure(1) && !sink(" ")) return cancelled("Packing");
  return std::nullopt;
}

std::optional<Error> redact_json(GrowingStream& in, bool timeline, Redactor& redactor,
                                 const std::function<bool(std::string_view)>& sink,
                                 const std::stop_token& stop) {
  LoadProgress progress;
  Result<std::string> text = read_snapshot_text(in, progress, stop);
  if (!text) return text.error();
  if (timeline) {
    redactor.set_learning(true);
    redactor.json(*text);
    redactor.set_learning(false);
    const std::string redacted = redactor.json(*text);
    return sink(redacted) ? std::nullopt : std::optional<Error>(cancelled("Packing"));
  }
  PlainTree tree;
  const Result<JsonEnd> end = read_snapshot_json(*text, tree, [&] { return !stop.stop_requested(); });
  if (!end) return end.error();
  if (end.value().damage) return damaged_snapshot(*end.value().damage);
  return write_redacted(tree, end.value().root, redactor, sink);
}

}  // namespace

std::optional<Error> redact_snapshot(GrowingText& text, SnapshotSource source, Redactor& redactor,
                                     const std::function<bool(std::string_view)>& sink,
                                     const std::stop_token& stop) {
  GrowingStream in(text, stop);
  if (source == SnapshotSource::pickle) return redact_pickle(in, false, redactor, sink, stop);
  if (source == SnapshotSource::html) {
    HtmlSnapshotStream pickle(in);
    return redact_pickle(pickle, true, redactor, sink, stop);
  }
  return redact_json(in, source == SnapshotSource::memory_timeline, redactor, sink, stop);
}

}  // namespace kino
