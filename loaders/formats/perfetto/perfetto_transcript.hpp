// Converts a Perfetto trace to the events that a JSON trace of the recording would contain.
#pragma once

#include <optional>

#include "core/base/result.hpp"
#include "loaders/bytes/growing_text.hpp"
#include "loaders/formats/json_import/transcript.hpp"

namespace kino {

/// Writes the events. PyTorch writes no categories, so events with no category get the one that their names
/// and arguments indicate. Notes count everything that is not shown. Uses `threads` threads to decode
/// packets. O(n log n).
std::optional<Error> transcribe_perfetto(GrowingText& text, const Transcription& to, unsigned threads);

}  // namespace kino
