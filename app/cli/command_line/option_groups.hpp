// Arguments and options that several commands share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/trace/trace.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library has this name
class App;
class Option;
}  // namespace CLI

namespace kino {

/// FILE, the input.
struct FileArgument {
  std::filesystem::path file;
  void add_to(CLI::App& app, const std::string& about, const std::string& name = "FILE");
};

/// FILE..., the inputs: at least one, unless the caller changes the returned option.
struct FilesArgument {
  std::vector<std::filesystem::path> files;
  CLI::Option* add_to(CLI::App& app, const std::string& about);
};

/// OUT, the file or folder to write.
struct OutputArgument {
  std::filesystem::path file;
  void add_to(CLI::App& app, const std::string& about);
};

/// Returns whether the folder of an output file is missing, and reports that on stderr. Commands call it
/// before they read anything. `shown` replaces the name of the file in the message.
bool folder_missing(const std::filesystem::path& output, const std::filesystem::path& shown = {});

/// --strict: a truncated file counts as an error.
struct StrictOption {
  bool on = false;
  void add_to(CLI::App& app);
};

/// --job: selects one of several jobs in a folder.
struct JobOption {
  std::size_t number = 1;
  void add_to(CLI::App& app);
};

/// --range: selects a part of a trace.
struct RangeOption {
  std::optional<TimeRange> range;
  CLI::Option* add_to(CLI::App& app, const std::string& about);
};

/// Returns an error if `range` and the trace do not overlap. `trace` is the range of the whole trace.
std::optional<Error> outside_trace(const TimeRange& range, const TimeRange& trace);

/// --limit: the maximum number of rows.
struct LimitOption {
  std::optional<std::uint64_t> rows;  ///< 0: all
  /// `preset` describes the default: "50 for text".
  void add_to(CLI::App& app, const std::string& preset);
};

/// --at and --device: the moment and the device of an allocator snapshot.
struct MomentOptions {
  std::string at;                      ///< see requested_moment()
  std::optional<std::int64_t> device;  ///< ordinal of the device
  void add_to(CLI::App& app);
};

/// Parses a time such as "12" or "1.5ms". The default unit is ns.
std::optional<std::int64_t> ns_from_text(std::string_view text);
/// Parses a range "A..B"; nullopt unless A precedes B.
std::optional<TimeRange> range_from_text(std::string_view text);

}  // namespace kino
