// Opens a recording of another kind by way of its transcript: Chrome-trace text in a spool, whose events are
// told while they are written.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/cache/format.hpp"
#include "loaders/formats/json_import/transcript_writer.hpp"

namespace kino {

/// What a transcriber is given: it writes a whole document, and notes what it could not use. It looks at
/// `stop` at least every 50 ms, and ends when the writer is no longer good.
struct Transcription {
  TranscriptWriter& out;
  DamageLog& damage;
  const std::stop_token& stop;
  LoadProgress& progress;
  bool decompressed = false;              ///< another thread says how much of the file was read
  mutable double read_before_events = 0;  ///< the share that was read before the first event

  /// How much of the recording was read, and how much of it is written, from 0 to 1.
  void set_read(double share) const {
    if (decompressed) return;
    progress.file_bytes_done =
        static_cast<std::uint64_t>(share * static_cast<double>(progress.file_bytes.load()));
  }
  void set_transcribed(double share) const { progress.transcribed = share; }
};

/// Runs `transcribe`. Its Error is the result. The text is in the cache folder,
/// without a name, bounded as decompressed text is.
Result<OpenedFile> open_transcript(
    const FormatInput& input, const std::function<std::optional<Error>(const Transcription&)>& transcribe);

}  // namespace kino
