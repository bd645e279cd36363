// Describes a file format: its name, how it is detected, and how it is opened.
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

/// Certainty that content with a given head has a format.
enum class FormatMatch : std::uint8_t {
  none,    ///< the format cannot open it
  barely,  ///< opened only if the user names this file
  maybe,   ///< among several files, used only if none is surely a recording
  surely,
};

/// Content to open: decompressed, possibly still growing.
struct FormatInput {
  GrowingText& content;
  const OpenOptions& options;
  LoadProgress& progress;
  const std::stop_token& stop;
  const std::function<DamageLog()>&
      source_damage;                ///< damage of decompression; valid after the content was read
  std::filesystem::path file = {};  ///< the requested path on disk; empty for a pipe
};

struct Format {
  enum class Holds : std::uint8_t { trace, snapshot, hang };

  std::string_view name;   ///< unique, for tests and logs: "snapshot-json"
  std::string_view title;  ///< within a sentence: "a snapshot of the CUDA allocator"
  Holds holds{};           ///< type of open()'s result
  /// `head`: the first kHeadBytes of the content, or all of it. Reads nothing else.
  FormatMatch (*likeness)(std::string_view head) = nullptr;
  Result<OpenedFile> (*open)(const FormatInput& input) = nullptr;
  bool kept = true;  ///< whether the cache makes it open faster
};

}  // namespace kino
