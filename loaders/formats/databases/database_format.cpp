#include "loaders/formats/databases/database_format.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/base/ascii.hpp"
#include "core/base/terminal_text.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/formats/databases/database.hpp"
#include "loaders/formats/databases/nsight_transcript.hpp"
#include "loaders/formats/databases/rocpd_transcript.hpp"
#include "loaders/formats/json_import/transcript.hpp"

namespace kino {
namespace {

using namespace std::string_view_literals;

/// Returns a text such as "with the tables a, b, c and 4 more".
std::string tables_text(const Database& database) {
  constexpr std::size_t kShown = 5;
  const auto& tables = database.tables();
  if (tables.empty()) return "without tables";
  std::string text = "with the tables ";
  for (std::size_t i = 0; i < std::min(kShown, tables.size()); ++i)
    text += (i > 0 ? ", " : "") + escaped(tables[i].name);
  if (tables.size() > kShown) text += " and " + std::to_string(tables.size() - kShown) + " more";
  return text;
}

constexpr std::string_view kMsprof =
    "This is a database of Ascend's msprof; export the recording with msprof --export=on --output=FOLDER "
    "--type=text and open msprof_*.json";

/// A profiler whose databases are not supported.
struct ForeignDatabase {
  std::array<std::string_view, 2> tables;  ///< tables that identify the database if it has all of them
  std::string_view what;
};

// Documentation of the schemas: rocpd_python of ROCm/rocmProfileData, and
// "ascend_pytorch_profiler_{Rank_ID}.db" and "msprof .db" in the CANN documentation.
constexpr std::array kForeignDatabases = {
    ForeignDatabase{{"rocpd_api", "rocpd_op"},
                    "This is a database of rocmProfileData (RPD); convert it with rpd2tracing.py FILE.rpd "
                    "trace.json, from its tools, and open the JSON"},
    ForeignDatabase{{"STRING_IDS", "PYTORCH_API"},
                    "This is a database of the Ascend PyTorch Profiler (torch_npu); export the recording as "
                    "text (export_type=ExportType.Text, or analyse() with export_type=\"text\") and open "
                    "ASCEND_PROFILER_OUTPUT/trace_view.json"},
    ForeignDatabase{{"STRING_IDS", "CANN_API"}, kMsprof},
    ForeignDatabase{{"STRING_IDS", "TASK"}, kMsprof},
    ForeignDatabase{{"STRING_IDS", "COMPUTE_TASK_INFO"}, kMsprof},
};

std::string what_is(const Database& database) {
  const auto has = [&](std::string_view name) { return database.has(name); };
  for (const ForeignDatabase& foreign : kForeignDatabases) {
    if (std::ranges::all_of(foreign.tables, has)) return std::string(foreign.what);
  }
  return "This is an SQLite database " + tables_text(database) +
         ", which neither Nsight Systems nor rocprofv3 wrote";
}

Result<OpenedFile> open_as(const Format& format, const FormatInput& input,
                           const std::function<std::optional<Error>(const Transcription&)>& transcribe) {
  Result<OpenedFile> opened = open_transcript(input, transcribe);
  if (auto* const trace = opened ? std::get_if<OpenedTrace>(&*opened) : nullptr) trace->format = &format;
  return opened;
}

}  // namespace

FormatMatch database_match(std::string_view head) {
  return head.starts_with("SQLite format 3\0"sv) ? FormatMatch::maybe : FormatMatch::none;
}

bool names_recorded_tables(std::string_view begin) {
  return std::ranges::any_of(
      std::array{"CUPTI_ACTIVITY_KIND"sv, "StringIds"sv, "rocpd_kernel_dispatch"sv, "rocpd_region"sv},
      [&](std::string_view table) { return contains(begin, table); });
}

Result<OpenedFile> open_database(const FormatInput& input) {
  input.progress.transcribed = 0;
  input.content.wait_for(GrowingText::kWhole, input.stop);
  if (input.stop.stop_requested()) return cancelled("Loading");
  if (const auto error = input.content.error()) return *error;
  return open_database_text(input, input.content.source());
}

Result<OpenedFile> open_database_text(const FormatInput& input, std::shared_ptr<const TextSource> text) {
  const Result<Database> database = Database::open(std::move(text), input.stop);
  if (!database) return database.error();
  if (is_nsight(database.value())) {
    return open_as(kNsightDatabase, input,
                   [&](const Transcription& to) { return transcribe_nsight(database.value(), to); });
  }
  if (is_rocpd(database.value())) {
    return open_as(kRocpdDatabase, input,
                   [&](const Transcription& to) { return transcribe_rocpd(database.value(), to); });
  }
  return unknown_format(what_is(database.value()));
}

}  // namespace kino
