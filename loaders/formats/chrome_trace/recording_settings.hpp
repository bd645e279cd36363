// Reads the profiler's options and the software versions that affect performance from a Kineto trace.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "loaders/bytes/text_source.hpp"

namespace kino {

/// Returns options of the profiler (with_stack, record_shapes, profile_memory, with_flops, with_modules) and
/// versions of PyTorch, CUPTI, drivers and runtimes. They are sorted by name, with values as written but
/// without quotes. Values above 64 bytes are omitted. Reads only the first MiB and the last 64 KiB of the
/// text, since PyTorch writes them before or after the events.
std::vector<std::pair<std::string, std::string>> recording_settings(const TextSource& text);

}  // namespace kino
