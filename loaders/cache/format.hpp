// What a format of files says of itself: its name, by which first bytes it is told, and how it is opened.
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

/// How much a content that begins with certain bytes is like a format.
enum class Likeness : std::uint8_t {
  none,    ///< the format does not open it
  barely,  ///< it is opened so when a person asks for this very file
  maybe,   ///< among other files it stands for itself where nothing surer does
  surely,
};

/// A content that is to be opened: decompressed, perhaps still arriving.
struct FormatInput {
  GrowingText& content;
  const OpenOptions& options;
  LoadProgress& progress;
  const std::stop_token& stop;
  const std::function<DamageLog()>& source_damage;  ///< of decompression; asked once all was read
  std::filesystem::path file = {};  ///< on disk, as it was asked for; empty for what comes through a pipe
};

struct Format {
  enum class Holds : std::uint8_t { trace, snapshot, hang };

  std::string_view name;   ///< for tests and logs, of no other format: "snapshot-json"
  std::string_view title;  ///< in a sentence: "a snapshot of the CUDA allocator"
  Holds holds{};           ///< what open() gives
  /// `head`: the first kHeadBytes of the content, or all of it. Looks at nothing else.
  Likeness (*likeness)(std::string_view head) = nullptr;
  Result<OpenedFile> (*open)(const FormatInput& input) = nullptr;
  bool kept = true;  ///< whether it opens faster from the cache
};

}  // namespace kino
