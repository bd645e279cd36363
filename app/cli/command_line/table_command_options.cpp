#include "app/cli/command_line/table_command_options.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/command_line/choices.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "core/critical/critical_tables.hpp"
#include "core/job/flight/hang_tables.hpp"
#include "core/job/tables/job_tables.hpp"
#include "core/memory/snapshot_set/snapshot_set_tables.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {
namespace {

constexpr int kMostFiles = 1 << 20;

constexpr const char* kMoreTableHelp =
    "Queries of --find: words of frames, file:x, function:x, note:x, >100MB, age>10ms, steps>2, stream:x, "
    "pool:x, lives:before, end, always or freed, phase:forward, backward, optimizer, zero_grad or script, "
    "fate:kept, temporary or a phase, sure:certain, likely, guess or unknown, layer:N, addresses, and for "
    "the table events action:x. -x excludes x.\n`kinetoscope table NAME --columns` prints the meaning of a "
    "table's columns.";

struct TableList {
  std::string_view heading;
  std::span<const TableInfo* const> kinds;
};

std::array<TableList, 6> table_lists() {
  return {{{"Tables of a trace:", table_kinds()},
           {"Tables of an allocator snapshot:", snapshot_table_kinds()},
           {"Tables of a job (a folder or archive with one trace per rank):", job_table_kinds()},
           {"Tables of a job that need its traces in memory:", job_trace_table_kinds()},
           {"Tables of many allocator snapshots (several files, a folder or an archive):",
            snapshot_set_table_kinds()},
           {"Tables of the flight recorder dumps of a hung job:", hang_table_kinds()}}};
}

/// Returns the names of all tables without duplicates: some tables of jobs share a name with a table of
/// traces.
std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const TableList& list : table_lists()) {
    for (const TableInfo* const kind : list.kinds) {
      if (std::ranges::find(names, kind->name) == names.end()) names.emplace_back(kind->name);
    }
  }
  return names;
}

std::string list_of_tables() {
  constexpr std::size_t kNameColumns = 21;
  std::string text;
  for (const TableList& list : table_lists()) {
    text.append(list.heading).append("\n");
    for (const TableInfo* const kind : list.kinds) {
      text.append("  ").append(padded_right(std::string(kind->name), kNameColumns)).append("  ");
      text.append(english(kind->about));
      for (std::size_t i = 0; i < kind->groups.size(); ++i)
        text.append(i == 0 ? "; --group " : ", ").append(kind->groups[i].name);
      text.append("\n");
    }
    text.append("\n");
  }
  return text;
}

std::vector<std::string> words_between_commas(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) words.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return words;
}

std::string batch_problem(const std::string& text) {
  const auto sizes = sizes_from_text(text);
  return sizes.ok() ? std::string() : sizes.error().what.str();
}

bool takes_several_files(const std::string& table) {
  return table == kCompareTable.name || kind_named(job_table_kinds(), table) != nullptr ||
         kind_named(job_trace_table_kinds(), table) != nullptr ||
         kind_named(snapshot_set_table_kinds(), table) != nullptr;
}

}  // namespace

void TableCommandOptions::add_to(CLI::App& app) {
  one_of(app.add_option("NAME", request.name, "The table")->required(), table_names());
  input
      .add_to(app,
              "A trace, a snapshot, or the folder of a job; or several files: the ranks of a job, or "
              "snapshots (two for compare)")
      ->required(false)
      ->expected(0, kMostFiles);
  app.add_flag("--columns", request.columns, "Print the meaning of the table's columns; needs no file");
  add_selection_to(app);
  add_settings_to(app);
  app.add_option("--group,--by", request.group,
                 "Grouping of rows (see the list of tables; default: the first grouping)")
      ->type_name("WHAT");
  app.add_option_function<std::string>(
         "--sort", [this](const std::string& text) { request.sort = words_between_commas(text); },
         "Sort by these columns (keys: see --columns); :asc or :desc after a key sets its order")
      ->type_name("KEY[,KEY]");
  limit_.add_to(app, "50 for text");
  add_choice(app, "--format", request.format,
             {{"text", TableFormat::text},
              {"csv", TableFormat::csv},
              {"json", TableFormat::json},
              {"md", TableFormat::markdown},
              {"folded", TableFormat::folded}},
             "Output format; folded writes stacks of live memory, for flame graphs");
  job.add_to(app);
  app.footer(list_of_tables() + kMoreTableHelp);
}

void TableCommandOptions::add_selection_to(CLI::App& app) {
  CLI::Option* const range =
      range_.add_to(app, "Time range since the start of the trace, such as 10ms..1.5s; ns without a unit");
  app.add_option("--step", request.step, "Only the training step with this number")
      ->type_name("N")
      ->excludes(range);
  moment_.add_to(app);
  app.add_option("--since", request.since, "For snapshots: compare with this moment, to show growth")
      ->type_name("MOMENT");
  app.add_option("--find", request.find,
                 "For snapshots: show only allocations or events that match the "
                 "query (see below)")
      ->type_name("QUERY");
  app.add_option("--stream", request.stream, "For gaps: only the stream with this number")->type_name("N");
  app.add_option("--capture", capture,
                 "For replays: a trace that contains the captures of the graphs (default: the trace itself)")
      ->type_name("FILE");
  add_iterations_to(app);
}

void TableCommandOptions::add_iterations_to(CLI::App& app) {
  add_choice(app, "--source", request.iterations.source,
             {{"auto", IterationSourceChoice::automatic},
              {"annotation", IterationSourceChoice::annotation},
              {"hand-over", IterationSourceChoice::hand_over},
              {"replays", IterationSourceChoice::replays}},
             "For iterations, serving and stalls: how iterations are found");
  add_word(app, "--phase", {"prefill", "decode", "mixed", "verify", "draft", "idle"}, "",
           "For iterations, serving and stalls: only this phase",
           [this](const std::string& phase) { request.iterations.phase = phase; });
  CLI::Option* const all = app.add_flag("--all", request.iterations.keep_all,
                                        "For iterations, serving and stalls: leave no iteration out");
  app.add_flag("--steady", request.iterations.used_only,
               "For iterations, serving and stalls: only the iterations that statistics use")
      ->excludes(all);
}

void TableCommandOptions::add_settings_to(CLI::App& app) {
  app.add_option(
         "--set", request.settings,
         "For what-if of a trace or job: changed costs such as loader=0, compute=0.5, graphs or "
         "rank:2=median; for what-if of a snapshot: a setting of the allocator, capacity_mb or limit_mb; for "
         "growth and batch-size: capacity_mb. May be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_flag("--force", request.force,
               "For what-if of a trace or job: show bounds even if less than 90 % of the path is explained");
  app.add_option_function<std::string>(
         "--batch",
         [this](const std::string& text) {
           if (auto sizes = sizes_from_text(text); sizes.ok()) request.sizes = std::move(sizes).value();
         },
         "For batch-size: the batch size, or another size, of each file, in order of the files (default: "
         "from names such as bs8 or ctx512); for iterations, serving and stalls: only batches of this many "
         "requests, rounded up to a power of two")
      ->type_name("SIZE,SIZE")
      ->check(batch_problem);
}

std::string TableCommandOptions::finish() {
  request.range = range_.range;
  request.limit = limit_.rows;
  request.at = moment_.at;
  request.device = moment_.device;
  if (request.columns) return {};
  if (input.files.empty()) return "table needs the FILE to read";
  const std::size_t count = input.files.size();
  if (request.name == kCompareTable.name && count != 2) return "compare needs two files";
  if (count > 1 && !takes_several_files(request.name))
    return "only compare takes two files, and only tables of a job or of many snapshots take several";
  return {};
}

}  // namespace kino
