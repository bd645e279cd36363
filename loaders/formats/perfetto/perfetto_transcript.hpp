// A Perfetto trace as events of a trace, as the JSON of the same recording would have them.
#pragma once

#include <optional>

#include "core/base/result.hpp"
#include "loaders/bytes/growing_text.hpp"
#include "loaders/formats/json_import/transcript.hpp"

namespace kino {

/// PyTorch writes no categories: where an event has none, its arguments tell what it is. What is not shown is
/// counted in notes. Packets are read by several threads, 8 at most. O(n log n).
std::optional<Error> transcribe_perfetto(GrowingText& text, const Transcription& to, unsigned threads);

}  // namespace kino
