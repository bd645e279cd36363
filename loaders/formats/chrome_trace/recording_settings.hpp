// What the header of a Kineto trace tells of the profiler's options and of the software, as far as it changes
// what a run costs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "loaders/bytes/text_source.hpp"

namespace kino {

/// Options of the profiler (with_stack, record_shapes, profile_memory, with_flops, with_modules) and versions
/// of drivers and runtimes, sorted by name, values as written. Looked for in the first MiB before the events,
/// and in what follows them within the last 64 KiB, for PyTorch writes them in front or behind. O(that much).
std::vector<std::pair<std::string, std::string>> recording_settings(const TextSource& text);

}  // namespace kino
