// What the command line asks for, parsed once and checked.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/shell/settings/diff_request.hpp"
#include "app/shell/settings/query_request.hpp"
#include "app/shell/settings/snapshot_look.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/byte_text.hpp"
#include "core/tables/table_request.hpp"
#include "core/trace/trace.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

struct PixelSize {
  int width = 1600;
  int height = 900;
  bool operator==(const PixelSize&) const = default;
};

struct CommandLine {
  enum class Mode {
    window,
    info,
    table,
    query,
    export_tables,
    mcp,
    report,
    screenshot,
    diff,
    trim,
    pack,
    index,
    watch,
    cache
  };

  Mode mode = Mode::window;
  std::vector<std::filesystem::path> files;  ///< report, screenshot and trim have one, cache none
  std::filesystem::path output;              ///< screenshot, report, trim and pack; index: a folder, or empty
  bool json = false;                         ///< info
  std::optional<PixelSize> size;             ///< window and screenshot
  std::optional<float> scale;                ///< window and screenshot; 1 = 96 dpi
  std::optional<Language> language;          ///< of window and screenshot
  std::optional<bool> dark;                  ///< theme of window and screenshot
  std::optional<TimeRange> range;            ///< screenshot, trim and pack
  std::optional<SliceId> select;             ///< screenshot
  SnapshotLook look;                         ///< screenshot of a snapshot
  std::optional<ByteUnits> units;            ///< GB unless told, or what the window remembers
  /// Whose frames are not what people look for, instead of those of libraries.json or the built-in ones.
  std::optional<std::vector<std::string>> libraries;
  std::filesystem::path
      kernel_categories;             ///< whose rules count instead of kernel_categories.json's; empty: none
  TableRequest table;                ///< table
  QueryRequest query;                ///< query
  DiffRequest diff;                  ///< diff
  std::filesystem::path state_file;  ///< window: where UI tests read the state
  std::filesystem::path note;        ///< pack: what is shown first; empty for nothing
  std::string arguments;             ///< pack: whose; all, work or none
  std::size_t job = 1;               ///< table and report: which of several in a folder
  std::size_t most_files = 0;        ///< watch: ends behind so many; 0: never
  bool frame_report = false;         ///< window: tell at the end what frames cost
  bool strict = false;               ///< a cut file is an error; not of the window
  bool no_limit = false;             ///< decompress whatever its size
  bool compares = false;             ///< window: what the two files differ in
  bool new_window = false;           ///< window: even when one runs already
  bool use_cache = true;             ///< look for traces that were kept; window: and keep them
  bool keep = false;                 ///< info: keep the trace
  bool digest_only = false;          ///< index: no index
  bool slurm = false;                ///< index: print an array job instead
  bool all_files = false;            ///< watch: those that are there already, too
  bool all_ranks = false;            ///< info of a job: list all ranks
  bool watches = false;              ///< window: takes up what a run writes to the folder of the first file
  bool parquet = false;              ///< export: a folder of Parquet files, else an SQLite file
  bool clear = false;                ///< cache
  bool redact = false;               ///< pack
};

/// How the command opens traces. What happens to those that are worth keeping is left to it.
OpenOptions open_options(const CommandLine& command);

/// Either a command or, for --help, --version and mistakes, the text that was printed and the exit code.
struct ParsedCommandLine {
  CommandLine command;
  std::optional<int> exit_code;  ///< 0 for help and version, 2 for mistakes, of diff 1
  std::string text;              ///< to be printed: on stdout when exit_code is 0, else on stderr
};

/// Needs argc >= 1. Never exits and never prints.
ParsedCommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace kino
