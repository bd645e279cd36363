// Opens a recording that is not JSON: converts it to Chrome-trace text in a spool, and interprets the events
// while the text is written.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/cache/format.hpp"
#include "loaders/formats/json_import/import_writer.hpp"

namespace kino {

/// Parameters of a conversion, which writes a whole document and records damage. The conversion must check
/// `stop` at least every 50 ms, and end if out.good() is false.
struct Transcription {
  ImportWriter& out;
  DamageLog& damage;
  const std::stop_token& stop;
  LoadProgress& progress;
  bool decompressed = false;              ///< another thread reports the reading progress
  mutable double read_before_events = 0;  ///< fraction read before the first event

  /// Report the fractions of the recording that were read and converted, from 0 to 1.
  void set_read(double share) const {
    if (decompressed) return;
    progress.file_bytes_done =
        static_cast<std::uint64_t>(share * static_cast<double>(progress.file_bytes.load()));
  }
  void set_transcribed(double share) const { progress.transcribed = share; }
};

/// Opens the text that `transcribe` writes, or returns its error. The text is in an unnamed file in the cache
/// folder, with the limits of decompressed text.
Result<OpenedFile> open_transcript(
    const FormatInput& input, const std::function<std::optional<Error>(const Transcription&)>& transcribe);

}  // namespace kino
