#include "loaders/databases/database_format.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/terminal_text.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/databases/database.hpp"
#include "loaders/databases/nsight_transcript.hpp"
#include "loaders/databases/rocpd_transcript.hpp"
#include "loaders/transcript/transcript.hpp"

namespace kino {
namespace {

using namespace std::string_view_literals;

/// "with the tables a, b, c and 4 more".
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

}  // namespace

Likeness database_likeness(std::string_view head) {
  return head.starts_with("SQLite format 3\0"sv) ? Likeness::maybe : Likeness::none;
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
    return open_transcript(input,
                           [&](const Transcription& to) { return transcribe_nsight(database.value(), to); });
  }
  if (is_rocpd(database.value())) {
    return open_transcript(input,
                           [&](const Transcription& to) { return transcribe_rocpd(database.value(), to); });
  }
  return unknown_format("This is an SQLite database " + tables_text(database.value()) +
                        ", and none of Nsight Systems or rocprofv3");
}

}  // namespace kino
