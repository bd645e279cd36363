#include "loaders/formats/json_import/transcript.hpp"

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "loaders/bytes/spool.hpp"
#include "loaders/formats/chrome_trace/chrome_trace_format.hpp"

namespace kino {
namespace {

/// Converts the recording to text. Always ends the text.
void write_all(GrowingText& text, SpoolWriter& spool, EventSink& events,
               const std::function<std::optional<Error>(const Transcription&)>& transcribe, DamageLog& damage,
               const FormatInput& input, bool decompressed) {
  try {
    ImportWriter out(spool, events);
    if (std::optional<Error> error = transcribe({out, damage, input.stop, input.progress, decompressed})) {
      text.fail(std::move(*error));
      return;
    }
    if (input.stop.stop_requested()) {
      text.fail(cancelled("Loading"));
      return;
    }
    out.finish();
    if (out.good()) spool.finish();
  } catch (const std::bad_alloc&) {
    text.fail({Error::Kind::out_of_memory, "There is not enough memory for this file"});
  } catch (const std::exception& exception) {
    text.fail({Error::Kind::system, std::string("Loading failed: ") + exception.what()});
  }
}

}  // namespace

Result<OpenedFile> open_transcript(
    const FormatInput& input, const std::function<std::optional<Error>(const Transcription&)>& transcribe) {
  Result<Descriptor> file = open_spool(cache_folder(input.options));
  if (!file) return file.error();
  const auto spool = std::make_shared<FileSource>(std::move(*file));
  GrowingText text(spool);
  const bool decompressed = input.progress.compressed.exchange(true);
  input.progress.transcribed = 0;
  SpoolWriter writer(text, *spool, input.options.spool_limit, input.progress.file_bytes_done, nullptr);
  DamageLog damage;
  const std::function<DamageLog()> all_damage = [&] {
    damage.merge(writer.damage());
    damage.merge(input.source_damage());
    return std::move(damage);
  };
  return open_event_sink(
      {text, input.options, input.progress, input.stop, all_damage},
      [&](EventSink& events) { write_all(text, writer, events, transcribe, damage, input, decompressed); });
}

}  // namespace kino
