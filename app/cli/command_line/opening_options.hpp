// Options that commands share for opening files and classifying their content.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/byte_text.hpp"
#include "loaders/cache/open_options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library has this name
class App;
}

namespace kino {

/// --no-limit, --no-cache, --libraries, --kernel-categories and --units.
struct OpeningOptions {
  bool no_limit = false;
  bool no_cache = false;
  std::optional<std::vector<std::string>> libraries;  ///< replaces libraries.json and the built-in list
  std::filesystem::path kernel_categories;            ///< replaces kernel_categories.json; empty: none
  std::optional<ByteUnits> units;

  /// `default_units` is the default that the help shows for --units.
  void add_to(CLI::App& app, const std::string& default_units = "default GB");
  /// Adds only --units, for a command that opens no files.
  void add_units_to(CLI::App& app, const std::string& preset = "default GB");

  /// Returns the options to open files with. They do not store traces in the cache; see CacheAfter. Unusable
  /// cache files are reported on stderr.
  OpenOptions open_options() const;
  /// Applies --libraries, --kernel-categories and --units to the whole program. Reports unusable values on
  /// stderr; returns an exit code if the program must end because of them.
  std::optional<int> apply() const;
};

}  // namespace kino
