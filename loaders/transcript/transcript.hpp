// Opens a recording of another kind by way of its transcript: Chrome-trace text in a spool, whose events are
// told while they are written.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "loaders/cache/format.hpp"
#include "loaders/transcript/transcript_writer.hpp"

namespace kino {

/// What a transcriber is given: it writes a whole document, and notes what it could not use. It looks at
/// `stop` at least every 50 ms, and ends when the writer is no longer good.
struct Transcription {
  TranscriptWriter& out;
  DamageLog& damage;
  const std::stop_token& stop;
};

/// Runs `transcribe`. Its Error is the result. The text is in the cache folder,
/// without a name, bounded as decompressed text is.
Result<OpenedFile> open_transcript(
    const FormatInput& input, const std::function<std::optional<Error>(const Transcription&)>& transcribe);

}  // namespace kino
