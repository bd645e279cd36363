#include "app/shell/settings/command_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <span>
#include <sstream>
#include <string_view>

#include <CLI/CLI.hpp>

#include "app/shell/settings/command_documents.hpp"
#include "app/shell/settings/diff_options.hpp"
#include "app/shell/settings/library_list.hpp"
#include "app/shell/settings/table_columns.hpp"
#include "app/shell/settings/version.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "core/base/byte_text.hpp"
#include "core/base/terminal_text.hpp"
#include "core/job/flight/hang_tables.hpp"
#include "core/job/tables/job_tables.hpp"
#include "core/memory/snapshot_set/snapshot_set_tables.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {
namespace {

constexpr int kUsageError = 2;
constexpr int kGateUsageError = 1;
constexpr int kSmallestPicture = 64;
constexpr int kLargestPicture = 16384;

std::optional<PixelSize> size_from_text(std::string_view text) {
  PixelSize size;
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  if (width.ec != std::errc() || width.ptr == end || *width.ptr != 'x') return std::nullopt;
  const auto height = std::from_chars(width.ptr + 1, end, size.height);
  if (height.ec != std::errc() || height.ptr != end) return std::nullopt;
  const auto fits = [](int length) { return length >= kSmallestPicture && length <= kLargestPicture; };
  if (!fits(size.width) || !fits(size.height)) return std::nullopt;
  return size;
}

// Options as CLI11 fills them, before they are turned into a CommandLine.
struct RawOptions {
  std::vector<std::string> files;  // of the window
  std::string file;                // of the other commands
  std::string output;
  std::string size;
  std::string theme;
  std::string language;
  std::string state_file;
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  std::string table;
  std::string range;
  std::int64_t step = 0;
  std::string group;
  std::string sort;
  std::string at;
  std::string since;
  std::string find;
  std::vector<std::string> settings;
  std::string batch;
  std::int64_t device = 0;
  std::int64_t limit = 0;
  std::string stream;
  std::string format;
  std::string sql_file;
  double timeout = 60;
  std::uint64_t memory_mb = 1024;
  std::string layout;
  std::string color;
  std::string axis;
  std::string libraries;
  std::string kernel_categories;
  std::string units;
  std::string completion;
  std::string arguments = "all";
  std::string note;
  // Together, for they would leave holes between what is larger.
  float scale = 0;
  std::uint32_t select = 0;
  bool json = false;
  bool new_window = false;
  bool no_limit = false;
  bool frame_report = false;
  bool compares = false;
  bool no_cache = false;
  bool keep = false;
  bool digest_only = false;
  bool slurm = false;
  bool all_files = false;
  bool all_ranks = false;
  bool watches = false;
  std::int64_t most_files = 0;
  bool clear = false;
  bool parquet = false;
  bool redact = false;
  bool columns = false;
  bool strict = false;
  int job = 1;
  bool only_hits = false;
  bool manual = false;
  RawDiff diff;
};

/// "12", "1.5ms": ns unless a unit says otherwise.
std::optional<std::int64_t> ns_from_text(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double factor = unit.empty() || unit == "ns" ? 1
                        : unit == "us"               ? 1e3
                        : unit == "ms"               ? 1e6
                        : unit == "s"                ? 1e9
                                                     : 0;
  constexpr double kMost = 9e18;
  if (factor == 0 || !(std::abs(number * factor) < kMost)) return std::nullopt;
  return std::llround(number * factor);
}

/// "A..B", A before B.
std::optional<TimeRange> range_from_text(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const auto begin = ns_from_text(text.substr(0, dots));
  const auto end = ns_from_text(text.substr(dots + 2));
  if (!begin || !end || *end <= *begin) return std::nullopt;
  return TimeRange{*begin, *end};
}

/// What is wrong with a --range; empty when nothing is.
std::string is_range(const std::string& text) {
  return range_from_text(text) ? std::string()
                               : "needs BEGIN..END, the begin first, with ns, us, ms, s or no unit";
}

TableRequest table_request(const CLI::App& app, const RawOptions& raw) {
  TableRequest request;
  request.name = raw.table;
  if (!raw.range.empty()) request.range = range_from_text(raw.range);
  if (app.count("--step") > 0) request.step = raw.step;
  request.group = raw.group;
  std::string_view rest = raw.sort;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (comma > 0) request.sort.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (app.count("--limit") > 0) request.limit = static_cast<std::uint64_t>(raw.limit);
  request.columns = raw.columns;
  if (app.count("--stream") > 0) request.stream = raw.stream;
  request.format = raw.format == "csv"      ? TableFormat::csv
                   : raw.format == "json"   ? TableFormat::json
                   : raw.format == "md"     ? TableFormat::markdown
                   : raw.format == "folded" ? TableFormat::folded
                                            : TableFormat::text;
  request.at = raw.at;
  request.since = raw.since;
  request.find = raw.find;
  request.settings = raw.settings;
  if (app.count("--batch") > 0) {
    if (Result<std::vector<std::uint64_t>> sizes = sizes_from_text(raw.batch); sizes.ok())
      request.sizes = std::move(sizes).value();
  }
  if (app.count("--device") > 0) request.device = raw.device;
  return request;
}

/// The last of the files is the SQL unless a file has it.
QueryRequest query_request(const CLI::App& app, const RawOptions& raw,
                           std::vector<std::filesystem::path>& files) {
  QueryRequest request;
  request.sql_file = raw.sql_file;
  if (raw.sql_file.empty() && !files.empty()) {
    request.sql = files.back().string();
    files.pop_back();
  }
  request.format = raw.format;
  if (app.count("--limit") > 0) request.limit = static_cast<std::uint64_t>(raw.limit);
  request.seconds = raw.timeout;
  request.memory_mb = raw.memory_mb;
  return request;
}

/// One of these words, which the help names.
void one_of(CLI::Option* option, const std::vector<std::string>& words) {
  std::string value;
  for (const std::string& word : words) value += (value.empty() ? "" : "|") + word;
  option->check(CLI::IsMember(words).description(""))->type_name(value);
}

void add_libraries(CLI::App& app, RawOptions& raw) {
  app.add_option("--libraries", raw.libraries,
                 "Packages whose frames are not what people look for, instead of torch and Python's own "
                 "(libraries.json beside the settings has them, too)")
      ->type_name("NAME[,NAME]");
}

void add_kernel_categories(CLI::App& app, RawOptions& raw) {
  app.add_option(
         "--kernel-categories", raw.kernel_categories,
         "Rules that tell what kernels are for, instead of kernel_categories.json beside the settings: "
         R"([{"category": "Attention", "name": "my_kernel"}, "built in"])")
      ->check(CLI::ExistingFile.description(""))
      ->type_name("FILE");
}

void add_units(CLI::App& app, RawOptions& raw) {
  one_of(app.add_option("--units", raw.units, "Of bytes: GB (1000 MB) or GiB (1024 MiB); GB unless told"),
         {std::string(name_of(ByteUnits::decimal)), std::string(name_of(ByteUnits::binary))});
}

void add_opening(CLI::App& app, RawOptions& raw) {
  app.add_flag("--no-limit", raw.no_limit, "Decompress whatever its size, even to the last byte of the disk");
  app.add_flag("--no-cache", raw.no_cache, "Read the file itself, and keep nothing of it for the next time");
  add_libraries(app, raw);
  add_kernel_categories(app, raw);
  add_units(app, raw);
}

void add_strict(CLI::App& app, RawOptions& raw) {
  app.add_flag("--strict", raw.strict, "End with exit code 1, and write nothing, when the file is cut");
}

void add_job_choice(CLI::App& app, RawOptions& raw) {
  app.add_option("--job", raw.job,
                 "Of a folder with several jobs: which one; 1, that with most ranks, unless told")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
}

void add_look(CLI::App& app, RawOptions& raw, const char* size_help) {
  app.add_option("--size", raw.size, size_help)->type_name("WxH")->check([](const std::string& text) {
    return size_from_text(text) ? std::string() : "needs WIDTHxHEIGHT between 64x64 and 16384x16384";
  });
  app.add_option("--scale", raw.scale, "Scale of the interface from 0.5 to 4, 1 is 96 dpi")
      ->check(CLI::Range(0.5, 4.0).description(""))
      ->type_name("NUMBER");
  one_of(app.add_option("--language", raw.language, "Of the interface"), {"en", "ja", "zh"});
  one_of(app.add_option("--theme", raw.theme, "Of the interface"), {"dark", "light"});
}

void describe_window(CLI::App& app, RawOptions& raw) {
  app.add_option("FILE", raw.files, "Traces to open, each as a tab")->type_name("");
  app.add_option("--state-file", raw.state_file, "Write what the window shows to this file, for tests")
      ->type_name("FILE");
  app.add_flag("--diff", raw.compares, "Compare the two FILEs, in a tab of its own");
  app.add_flag("--watch", raw.watches,
               "Take up what a run writes to the first FILE, a folder, or to its folder");
  app.add_flag("--frame-report", raw.frame_report, "Print at the end what frames cost the processor");
  app.add_flag("--new-window", raw.new_window, "Open a window even when one runs already");
  add_opening(app, raw);
  add_look(app, raw, "Size of the window");
  app.set_version_flag("--version", "kinetoscope " + std::string(program_version()), "Print the version");
  app.add_flag("--manual", raw.manual, "Print the manual page: kinetoscope --manual | man -l -");
  one_of(app.add_option("--completion", raw.completion,
                        "Print what completes this in a shell: source <(kinetoscope --completion bash)"),
         {"bash", "zsh", "fish"});
}

void describe_info(CLI::App& app, RawOptions& raw) {
  app.add_option("FILE", raw.files,
                 "The trace, snapshot or folder of a job to read, the ranks of a job, or many snapshots")
      ->required()
      ->type_name("");
  app.add_flag("--json", raw.json, "Print JSON instead of text");
  app.add_flag("--keep", raw.keep, "Keep the trace in the cache afterwards, so that it opens at once");
  app.add_flag("--all", raw.all_ranks,
               "Of a job: list all ranks, not only the ten that cost the others most");
  add_strict(app, raw);
  add_opening(app, raw);
}

void add_snapshot_look(CLI::App& app, RawOptions& raw) {
  app.add_option("--at", raw.at, "Of a snapshot: peak (unless told), start, end, oom or an event's number")
      ->type_name("MOMENT");
  one_of(app.add_option("--layout", raw.layout, "Of a snapshot: how its memory is arranged"),
         {"stacked", "stack", "stream", "pool", "segment", "lanes", "addresses"});
  one_of(app.add_option("--color", raw.color, "Of a snapshot: what its colours stand for"),
         {"stack", "category", "stream", "pool", "size"});
  one_of(app.add_option("--axis", raw.axis, "Of a snapshot: what is along the picture"),
         {"events", "time", "steps"});
  app.add_option("--find", raw.find, "Of a snapshot: what to highlight")->type_name("QUERY");
  app.add_flag("--only-hits", raw.only_hits, "Of a snapshot: show nothing but what --find finds");
  app.add_option("--device", raw.device, "Of a snapshot: the one with the highest peak unless told")
      ->type_name("N");
}

void describe_screenshot(CLI::App& app, RawOptions& raw) {
  app.add_option("FILE", raw.file, "The trace or allocator snapshot to draw")->required()->type_name("");
  app.add_option("OUT", raw.output, "The PNG file to write")->required()->type_name("");
  add_look(app, raw, "Size of the picture in pixels, 1600x900 unless told");
  add_strict(app, raw);
  add_opening(app, raw);
  CLI::Option* from =
      app.add_option("--from", raw.from_ns, "Begin of the time range, ns since the trace's start")
          ->type_name("NS");
  CLI::Option* to = app.add_option("--to", raw.to_ns, "End of the time range")->type_name("NS");
  from->needs(to);
  to->needs(from);
  app.add_option("--select", raw.select, "Number of the slice to select")->type_name("N");
  add_snapshot_look(app, raw);
}

void describe_report(CLI::App& app, RawOptions& raw) {
  app.add_option("FILE", raw.file, "The trace, allocator snapshot or folder of a job to report on")
      ->required()
      ->type_name("");
  app.add_option("OUT", raw.output, "The HTML file to write; it needs no other file")
      ->required()
      ->type_name("");
  add_job_choice(app, raw);
  add_strict(app, raw);
  add_opening(app, raw);
}

void describe_diff(CLI::App& app, RawOptions& raw) {
  describe_diff_options(app, raw.diff);
  add_opening(app, raw);
}

void describe_trim(CLI::App& app, RawOptions& raw) {
  app.add_option("FILE", raw.file, "The trace to cut from")->required()->type_name("");
  app.add_option("OUT", raw.output, "The trace to write, Kineto JSON; compressed when its name ends in .gz")
      ->required()
      ->type_name("");
  app.add_option("--range", raw.range, "Times since the trace's begin, as 10ms..1.5s; ns without a unit")
      ->required()
      ->type_name("A..B")
      ->check(is_range);
  add_strict(app, raw);
  add_opening(app, raw);
  app.footer(
      "What touches the range is kept whole, with what it launched or was launched by, the arrows between\n"
      "them, and all metadata. The text is read piece by piece and never held in memory.");
}

void describe_pack(CLI::App& app, RawOptions& raw) {
  app.add_option("FILE", raw.files, "The traces and snapshots to pack, and last the file to write: OUT.kino")
      ->required()
      ->expected(2, -1)
      ->type_name("");
  app.add_option("--range", raw.range, "Pack what touches these times since the trace's begin: 10ms..1.5s")
      ->type_name("A..B")
      ->check(is_range);
  app.add_option("--arguments", raw.arguments,
                 "Whose arguments are packed: all, of GPU work and what led to it, or none (default: all)")
      ->type_name("all|work|none")
      ->check(CLI::IsMember({"all", "work", "none"}));
  app.add_flag("--redact", raw.redact,
               "Replace paths, names of files, hosts and users wherever they occur, and the frames of the "
               "program, by hashes");
  app.add_option("--note", raw.note, "A note to be shown first, as the window saves it")->type_name("FILE");
  add_strict(app, raw);
  add_opening(app, raw);
  app.footer(
      "A capsule opens wherever its trace or snapshot does, with the same tables, and in every later\n"
      "version. Of several files it is an archive of capsules. Redacted, names of kernels, operators and\n"
      "annotations stay, but for words in them that look like a path, file or host; line numbers stay;\n"
      "nobody can turn the hashes back.");
}

void describe_index(CLI::App& app, RawOptions& raw) {
  app.add_option("FILE", raw.files, "Traces, or folders of them")->required()->type_name("");
  app.add_option("--out", raw.output, "The folder to write to, instead of beside each trace")
      ->type_name("DIR");
  app.add_flag("--digest-only", raw.digest_only,
               "Write no FILE.kinoindex, from which the whole trace opens, but the small digest alone");
  app.add_flag("--slurm", raw.slurm, "Print a Slurm array job that does it, one trace a task, for sbatch");
  add_opening(app, raw);
  app.footer(
      "FILE.kinorank is what the other ranks of a job need of a trace: kinetoscope DIR reads it instead of "
      "the\n"
      "trace. A line of JSON is printed of each trace; what is done already is skipped. Files appear whole "
      "or\n"
      "not at all, and another run may go on at the same time. Exit code 1: not all of them are indexed.");
}

void describe_watch(CLI::App& app, RawOptions& raw) {
  app.add_option("DIR", raw.file, "The folder that a run writes to")->required()->type_name("");
  app.add_flag("--all", raw.all_files, "Begin with the files that are there already");
  app.add_option("--files", raw.most_files, "End behind so many files")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  app.add_flag("--json", raw.json, "Print an object of JSON a file instead of text");
  add_opening(app, raw);
  app.footer(
      "Prints what info prints of each trace and snapshot as soon as it is whole: closed or moved there by "
      "who\n"
      "wrote it, or unchanged for 3 seconds. A file that changes later is printed again. Ctrl + C ends it.\n"
      "`kinetoscope DIR --watch` opens a window that takes them up.");
}

void describe_cache(CLI::App& app, RawOptions& raw) {
  app.add_flag("--clear", raw.clear, "Remove all of it");
  add_units(app, raw);
}

void list_tables(std::span<const TableInfo* const> kinds, std::vector<std::string>& names,
                 std::string& footer) {
  for (const TableInfo* const it : kinds) {
    const TableInfo& kind = *it;
    constexpr std::size_t kColumns = 14;
    names.emplace_back(kind.name);
    footer += "  " + padded_right(std::string(kind.name), kColumns) + std::string(english(kind.about));
    for (std::size_t i = 0; i < kind.groups.size(); ++i) {
      footer += (i == 0 ? "; --group " : ", ") + std::string(kind.groups[i].name);
    }
    footer += "\n";
  }
}

void describe_table(CLI::App& app, RawOptions& raw) {
  std::vector<std::string> names;
  std::string footer = "Tables of a trace:\n";
  list_tables(table_kinds(), names, footer);
  footer += "Tables of an allocator snapshot:\n";
  list_tables(snapshot_table_kinds(), names, footer);
  footer += "Tables of a job, of a folder or archive with one trace a rank:\n";
  list_tables(job_table_kinds(), names, footer);
  footer += "Tables of many allocator snapshots, of several files, a folder or an archive with them:\n";
  list_tables(snapshot_set_table_kinds(), names, footer);
  footer += "Tables of the dumps of a hung job:\n";
  list_tables(hang_table_kinds(), names, footer);
  footer +=
      "--find takes words of frames, file:x, function:x, note:x, >100MB, age>10ms, steps>2, stream:x, "
      "pool:x,\n"
      "lives:before, end, always or freed, phase:forward, backward, optimizer, zero_grad or script, "
      "fate:kept, temporary\n"
      "or a phase, sure:certain, likely, guess or unknown, layer:N, addresses, and with the table of events "
      "action:x;\n"
      "-x for without x.\n"
      "`kinetoscope table NAME --columns` tells what the columns of a table mean.\n";
  app.add_option("NAME", raw.table, "The table")
      ->required()
      ->check(CLI::IsMember(names).description(""))
      ->type_name("");
  app.add_option(
         "FILE", raw.files,
         "The trace, snapshot or folder of a job to read, the ranks of a job, or many snapshots; two for "
         "compare")
      ->type_name("")
      ->expected(0, 1 << 20);
  app.add_flag("--columns", raw.columns, "Print what the table's columns mean, of no file");
  CLI::Option* range =
      app.add_option("--range", raw.range, "Times since the trace's begin, as 10ms..1.5s; ns without a unit");
  range->type_name("A..B")->check(is_range);
  app.add_option("--step", raw.step, "The training step of this number")->type_name("N")->excludes(range);
  app.add_option("--at", raw.at, "Of a snapshot: peak (unless told), start, end, oom or an event's number")
      ->type_name("MOMENT");
  app.add_option("--since", raw.since, "Of a snapshot: another moment, to see what grew")
      ->type_name("MOMENT");
  app.add_option("--find", raw.find, "Of a snapshot: only what this finds")->type_name("QUERY");
  app.add_option(
         "--set", raw.settings,
         "Of what-if: a setting of the allocator, or capacity_mb and limit_mb; of growth and batch-size: "
         "capacity_mb")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--batch", raw.batch,
                 "Of batch-size: the batch size, or another size, of each file in their order; unless told "
                 "as their names have it (bs8, ctx512)")
      ->type_name("SIZE,SIZE")
      ->check([](const std::string& text) {
        const auto sizes = sizes_from_text(text);
        return sizes.ok() ? std::string() : sizes.error().what.str();
      });
  app.add_option("--device", raw.device, "Of a snapshot: the one with the highest peak unless told")
      ->type_name("N");
  app.add_option("--group", raw.group, "What makes a row")->type_name("WHAT");
  app.add_option("--sort", raw.sort, "Keys of columns (see --columns), each with :asc or :desc or not")
      ->type_name("KEY[,KEY]");
  app.add_option("--limit", raw.limit, "The most rows; text has 50 unless told, 0 is all")
      ->type_name("N")
      ->check([](const std::string& text) {
        return text.find_first_not_of("0123456789") == text.npos && !text.empty()
                   ? std::string()
                   : std::string("needs a number of rows, 0 for all");
      });
  app.add_option("--stream", raw.stream, "Of gaps: those of the stream of this number")->type_name("N");
  one_of(app.add_option("--format", raw.format, "folded is of live memory, for flame graphs"),
         {"text", "csv", "json", "md", "folded"});
  add_job_choice(app, raw);
  add_strict(app, raw);
  add_opening(app, raw);
  app.footer(footer);
}

void describe_query(CLI::App& app, RawOptions& raw) {
  app.add_option("FILE", raw.files, "Traces, and last the SQL: 'select ..' or - for the standard input")
      ->required()
      ->type_name("");
  app.add_option("-f", raw.sql_file, "Read the SQL from this file")->type_name("FILE.sql");
  one_of(app.add_option("--format", raw.format, "Of the result; table unless told"),
         {"table", "csv", "json", "jsonl", "md", "parquet"});
  app.add_option("--limit", raw.limit, "The most rows; 10000 on a terminal unless told, 0 is all")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N");
  app.add_option("--timeout", raw.timeout, "The most seconds that the SQL may take; 60 unless told")
      ->check(CLI::Range(0.001, 1e6).description(""))
      ->type_name("S");
  app.add_option("--memory", raw.memory_mb, "The most memory in MiB that the SQL may take; 1024 unless told")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20).description(""))
      ->type_name("MB");
  add_strict(app, raw);
  add_opening(app, raw);
  app.footer(
      "Tables have Perfetto's names: slice, args, flow, thread, counter, .. and its queries run unchanged. "
      "Times are ns. Of several statements the last result is printed.");
}

void describe_export(CLI::App& app, RawOptions& raw) {
  app.add_option("FILE", raw.file, "The trace to read")->required()->type_name("");
  app.add_option("OUT", raw.output, "The SQLite file to write; with --parquet the folder")
      ->required()
      ->type_name("");
  app.add_flag("--parquet", raw.parquet, "Write a Parquet file a table");
  add_strict(app, raw);
  add_opening(app, raw);
}

void describe_mcp(CLI::App& app, RawOptions& raw) {
  add_opening(app, raw);
  app.footer("It opens the files that it is asked for, and writes none.");
}

/// What the columns of the table that `words` name mean, for its help; empty when they name none.
std::string column_help(std::span<const char* const> words) {
  for (const char* const word : words) {
    const Result<std::string> text = table_columns_text(word, TableFormat::text);
    if (text.ok()) return "\nColumns of the table " + std::string(word) + ". " + text.value();
  }
  return {};
}

/// A command as the first word names it; without a name, the program itself.
struct Verb {
  CommandLine::Mode mode;
  std::string_view name;
  std::string_view synopsis;
  std::string_view about;
  std::string_view description;
  void (*describe)(CLI::App&, RawOptions&);
};
constexpr std::array kVerbs{
    Verb{CommandLine::Mode::window, "", "[FILE...]", "Open a window",
         "A viewer for PyTorch profiler traces and CUDA memory snapshots.", describe_window},
    Verb{CommandLine::Mode::info, "info", "FILE [--json]", "Print what is in a file, or in a folder of ranks",
         "Prints what is in a trace or snapshot, or what the ranks of a job in a folder tell together.",
         describe_info},
    Verb{CommandLine::Mode::screenshot, "screenshot", "FILE OUT.png",
         "Draw the window into a picture, without a display",
         "Draws a trace or snapshot into a PNG file, without a display.", describe_screenshot},
    Verb{CommandLine::Mode::table, "table", "NAME FILE",
         "Print a table: kernels, operators, live memory, ...", "Prints a table of a trace or snapshot.",
         describe_table},
    Verb{CommandLine::Mode::query, "query", "FILE 'select ..'", "Ask anything in SQL",
         "Answers SQL about a trace.", describe_query},
    Verb{CommandLine::Mode::export_tables, "export", "FILE OUT.sqlite | DIR --parquet",
         "Write all tables as SQLite or Parquet files",
         "Writes the tables of a trace as SQLite or Parquet files.", describe_export},
    Verb{CommandLine::Mode::mcp, "mcp", "", "Let an assistant ask about traces",
         "Speaks the Model Context Protocol on the standard input and output.", describe_mcp},
    Verb{CommandLine::Mode::report, "report", "FILE OUT.html",
         "Write summary, tables and pictures as one page",
         "Writes what a trace, snapshot or job tells as one HTML page.", describe_report},
    Verb{CommandLine::Mode::diff, "diff", "A B [--fail-if EXPR]", "Compare two runs, and fail on a condition",
         "Compares two runs: what changed by more than noise, and where the time went.", describe_diff},
    Verb{CommandLine::Mode::trim, "trim", "FILE OUT --range A..B",
         "Write a part of a trace as a trace of its own", "Writes a part of a trace as a trace of its own.",
         describe_trim},
    Verb{CommandLine::Mode::pack, "pack", "FILE... OUT.kino",
         "Pack traces and snapshots into a small file to send and keep",
         "Packs traces and snapshots into a capsule: one small file that opens as they do.", describe_pack},
    Verb{CommandLine::Mode::index, "index", "FILE... [--slurm]", "Write what a job of many ranks opens from",
         "Writes index and digest of traces beside them.", describe_index},
    Verb{CommandLine::Mode::watch, "watch", "DIR", "Tell of each trace and snapshot as a run writes them",
         "Prints what is in each trace and snapshot of a folder as it is written.", describe_watch},
    Verb{CommandLine::Mode::cache, "cache", "[--clear]", "List, or remove, what is kept of opened traces",
         "Lists what is kept of the traces that were opened.", describe_cache}};

/// What the help of the program says of its commands.
std::string help_of_commands() {
  std::string text = "Commands:\n";
  std::string names;
  for (const Verb& verb : std::span(kVerbs).subspan(1)) {
    constexpr std::size_t kColumns = 42;
    text +=
        padded_right("  kinetoscope " + std::string(verb.name) + " " + std::string(verb.synopsis), kColumns) +
        " " + std::string(verb.about) + "\n";
    names += (names.empty() ? "" : &verb == &kVerbs.back() ? " or " : ", ") + std::string(verb.name);
  }
  return text +
         "`kinetoscope COMMAND --help` tells more of each.\n"
         "FILE is a file, an archive or folder of traces, FILE#NAME in an archive, or - for the standard "
         "input.\n"
         "A file that is called " +
         names +
         " opens as ./info and so on.\n"
         "Without a display, what is in the files is printed.\n"
         "Exit codes:\n" +
         std::string(kExitCodes);
}

/// The declarations of a command's options, for its manual page and completions.
CommandWords words_of(const Verb& verb, const CLI::App& app) {
  CommandWords words{.name = std::string(verb.name),
                     .synopsis = std::string(verb.synopsis),
                     .about = std::string(verb.about),
                     .description = std::string(verb.description),
                     .options = {},
                     .more = app.get_footer()};
  for (const CLI::Option* const option : app.get_options()) {
    OptionWords& it = words.options.emplace_back();
    it.about = option->get_description();
    it.by_place = option->get_positional();
    if (it.by_place) {
      it.names.push_back(option->get_name(true));
    } else {
      for (const std::string& name : option->get_snames()) it.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) it.names.push_back("--" + name);
      it.value = option->get_type_size() == 0 ? "" : option->get_type_name();
    }
    if (it.by_place && verb.mode == CommandLine::Mode::table && it.names.front() == "NAME") {
      for (const auto kinds : {table_kinds(), snapshot_table_kinds(), job_table_kinds(),
                               snapshot_set_table_kinds(), hang_table_kinds()}) {
        for (const TableInfo* const kind : kinds) {
          if (std::ranges::find(it.choices, kind->name) == it.choices.end())
            it.choices.emplace_back(kind->name);
        }
      }
    }
    std::string_view rest = it.value.find('|') != std::string::npos ? std::string_view(it.value) : "";
    while (!rest.empty()) {
      it.choices.emplace_back(rest.substr(0, rest.find('|')));
      rest.remove_prefix(std::min(it.choices.back().size() + 1, rest.size()));
    }
  }
  return words;
}

std::vector<CommandWords> command_words() {
  std::vector<CommandWords> commands;
  for (const Verb& verb : kVerbs) {
    RawOptions raw;
    CLI::App app;
    verb.describe(app, raw);
    if (verb.name.empty()) app.footer(help_of_commands());
    commands.push_back(words_of(verb, app));
  }
  return commands;
}

CommandLine command_from(const CLI::App& app, const RawOptions& raw, CommandLine::Mode mode) {
  CommandLine command;
  command.mode = mode;
  if (mode == CommandLine::Mode::window || mode == CommandLine::Mode::info ||
      mode == CommandLine::Mode::table || mode == CommandLine::Mode::query ||
      mode == CommandLine::Mode::index || mode == CommandLine::Mode::pack) {
    command.files.assign(raw.files.begin(), raw.files.end());
  } else if (mode != CommandLine::Mode::cache && mode != CommandLine::Mode::mcp &&
             mode != CommandLine::Mode::diff) {
    command.files.emplace_back(raw.file);
  }
  command.output = raw.output;
  command.json = raw.json;
  command.state_file = raw.state_file;
  command.watches = raw.watches && !command.files.empty();
  command.new_window = raw.new_window || raw.compares || raw.watches;
  command.compares = raw.compares;
  command.no_limit = raw.no_limit;
  command.frame_report = raw.frame_report;
  command.use_cache = !raw.no_cache;
  command.keep = raw.keep;
  command.strict = raw.strict;
  command.job = static_cast<std::size_t>(raw.job);
  command.digest_only = raw.digest_only;
  command.slurm = raw.slurm;
  command.all_files = raw.all_files;
  command.all_ranks = raw.all_ranks;
  command.most_files = static_cast<std::size_t>(raw.most_files);
  command.clear = raw.clear;
  command.parquet = raw.parquet;
  if (!raw.size.empty()) command.size = size_from_text(raw.size);
  if (raw.scale > 0) command.scale = raw.scale;
  if (!raw.language.empty()) command.language = language_from_code(raw.language);
  if (!raw.theme.empty()) command.dark = raw.theme == "dark";
  if (!raw.units.empty()) command.units = byte_units_named(raw.units);
  if (!raw.libraries.empty()) command.libraries = libraries_from_words(raw.libraries);
  command.kernel_categories = raw.kernel_categories;
  if (mode == CommandLine::Mode::table) command.table = table_request(app, raw);
  command.table.units = command.units.value_or(ByteUnits::decimal);
  if (mode == CommandLine::Mode::query) command.query = query_request(app, raw, command.files);
  if (mode == CommandLine::Mode::diff) command.diff = diff_request(app, raw.diff);
  if (mode == CommandLine::Mode::trim) command.range = range_from_text(raw.range);
  if (mode == CommandLine::Mode::pack) {
    command.output = command.files.back();
    command.files.pop_back();
    if (!raw.range.empty()) command.range = range_from_text(raw.range);
    command.arguments = raw.arguments;
    command.redact = raw.redact;
    command.note = raw.note;
  }
  if (mode == CommandLine::Mode::screenshot) {
    command.look = {raw.at, raw.layout, raw.color, raw.axis, raw.find, raw.only_hits, std::nullopt};
    if (app.count("--device") > 0) command.look.device = raw.device;
  }
  if (mode == CommandLine::Mode::screenshot && app.count("--from") > 0) {
    command.range = TimeRange{raw.from_ns, raw.to_ns};
  }
  if (mode == CommandLine::Mode::screenshot && app.count("--select") > 0)
    command.select = SliceId{raw.select};
  return command;
}

ParsedCommandLine usage_error(const std::string& what, std::string_view program) {
  ParsedCommandLine parsed;
  // Of a gate 2 says that it failed.
  parsed.exit_code = program.ends_with(" diff") ? kGateUsageError : kUsageError;
  parsed.text = "kinetoscope: " + escaped(what) + "; see " + std::string(program) + " --help\n";
  return parsed;
}

}  // namespace

OpenOptions open_options(const CommandLine& command) {
  OpenOptions options;
  options.spool_limit.none = command.no_limit;
  options.cache.look = command.use_cache;
  options.libraries = *libraries();
  options.cache.refused = [](const std::string& why, const std::string& source) {
    std::fprintf(stderr, "kinetoscope: %s: %s\n", escaped(why).c_str(), escaped(source).c_str());
  };
  return options;
}

namespace {

/// Help is laid out here, and by the terminal: CLI11 2.5 and later break lines, also those of lists.
template <class Formatter>
void keep_lines(Formatter& formatter) {
  constexpr std::size_t kAnyLength = 10'000;
  constexpr float kShortNames = 0.2F;  // of the column of names
  if constexpr (requires { formatter.right_column_width(kAnyLength); })
    formatter.right_column_width(kAnyLength);
  if constexpr (requires { formatter.long_option_alignment_ratio(kShortNames); })
    formatter.long_option_alignment_ratio(kShortNames);
  if constexpr (requires { formatter.enable_footer_formatting(false); })
    formatter.enable_footer_formatting(false);
  if constexpr (requires { formatter.enable_description_formatting(false); })
    formatter.enable_description_formatting(false);
}

}  // namespace

ParsedCommandLine parse_command_line(int argc, const char* const* argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  const auto* const named = std::ranges::find(kVerbs, first, &Verb::name);
  const bool has_command = !first.empty() && named != kVerbs.end();
  const Verb& verb = has_command ? *named : kVerbs.front();
  const CommandLine::Mode mode = verb.mode;
  const std::string program = has_command ? "kinetoscope " + std::string(first) : "kinetoscope";
  const int skipped = has_command ? 1 : 0;

  RawOptions raw;
  CLI::App app(std::string(verb.description), program);
  keep_lines(*app.get_formatter());
  verb.describe(app, raw);
  if (!has_command) app.footer(help_of_commands());

  ParsedCommandLine parsed;
  try {
    app.parse(argc - skipped, argv + skipped);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) {
      return usage_error(error.what(), program);
    }
    std::ostringstream text;
    app.exit(error, text, text);
    parsed.exit_code = 0;
    parsed.text = text.str();
    if (mode == CommandLine::Mode::table)
      parsed.text += column_help(std::span(argv, static_cast<std::size_t>(argc)).subspan(2));
    return parsed;
  }
  if (raw.manual || !raw.completion.empty()) {
    const std::vector<CommandWords> commands = command_words();
    parsed.exit_code = 0;
    parsed.text = raw.manual ? manual_page(commands, "kinetoscope " + std::string(program_version()))
                             : completion_script(commands, raw.completion).value_or("");
    return parsed;
  }
  parsed.command = command_from(app, raw, mode);
  if (parsed.command.range && parsed.command.range->length_ns() <= 0) {
    return usage_error("--to must lie after --from", program);
  }
  if (mode == CommandLine::Mode::diff) {
    if (const std::string problem = diff_sides_problem(parsed.command.diff); !problem.empty())
      return usage_error(problem, program);
  }
  if (parsed.command.look.only_hits && parsed.command.look.find.empty())
    return usage_error("--only-hits needs --find", program);
  if (parsed.command.compares && parsed.command.files.size() != 2)
    return usage_error("--diff needs two files", program);
  if (mode == CommandLine::Mode::query && parsed.command.files.empty())
    return usage_error("query needs a FILE and the SQL", program);
  if (mode == CommandLine::Mode::table && !raw.columns) {
    if (parsed.command.files.empty()) return usage_error("table needs the FILE to read", program);
    const std::size_t files = parsed.command.files.size();
    if (raw.table == kCompareTable.name && files != 2) return usage_error("compare needs two files", program);
    const bool several = raw.table == kCompareTable.name ||
                         kind_named(job_table_kinds(), raw.table) != nullptr ||
                         kind_named(snapshot_set_table_kinds(), raw.table) != nullptr;
    if (files > 1 && !several) {
      return usage_error("only compare takes two files, and tables of a job or of many snapshots several",
                         program);
    }
  }
  return parsed;
}

}  // namespace kino
