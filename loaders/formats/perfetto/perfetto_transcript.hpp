// Converts a Perfetto trace to the events that the JSON of the same recording has.
#pragma once

#include <optional>

#include "core/base/result.hpp"
#include "loaders/bytes/growing_text.hpp"
#include "loaders/formats/json_import/transcript.hpp"

namespace kino {

/// PyTorch writes no categories, so events without one get theirs from their arguments. Notes count
/// everything that is not shown. Uses `threads` threads to decode packets. O(n log n).
std::optional<Error> transcribe_perfetto(GrowingText& text, const Transcription& to, unsigned threads);

}  // namespace kino
