// Describes a file format: its name, and functions to detect and open it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string_view>

#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "loaders/bytes/growing_text.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// Certainty that content has a format, judged by its head.
enum class FormatMatch : std::uint8_t {
  none,    ///< the format cannot open the content
  barely,  ///< opened only if the user names this file
  maybe,   ///< among several files, used only if none is certainly a recording
  surely,
};

/// Content to open: decompressed, and possibly still growing.
struct FormatInput {
  GrowingText& content;
  const OpenOptions& options;
  LoadProgress& progress;
  const std::stop_token& stop;
  const std::function<DamageLog()>&
      source_damage;                ///< damage found by decompression; valid after the content was read
  std::filesystem::path file = {};  ///< the requested path on disk; empty for a pipe
};

struct Format {
  enum class Holds : std::uint8_t { trace, snapshot, hang };

  std::string_view name;   ///< unique, for tests and logs: "snapshot-json"
  std::string_view title;  ///< within a sentence: "a snapshot of the CUDA allocator"
  Holds holds{};           ///< type of open()'s result
  /// Detects the format. `head` is the first kHeadBytes of the content, or all of a shorter content. Reads
  /// nothing else.
  FormatMatch (*likeness)(std::string_view head) = nullptr;
  Result<OpenedFile> (*open)(const FormatInput& input) = nullptr;
  bool kept = true;  ///< whether traces of this format are cached, since they open faster then
};

}  // namespace kino
