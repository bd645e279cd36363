// The list below the box, as a pure function of the typed text and its context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/commands/command_list.hpp"
#include "app/ui/search/search_fields.hpp"
#include "app/ui/search/search_hits.hpp"
#include "core/base/messages/message.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Meaning of the typed text, selected by its first character.
enum class BoxMode : std::uint8_t {
  everything,  ///< names, commands, tables, files, places
  commands,    ///< ">"
  sql,         ///< ":"
};
BoxMode box_mode(std::string_view typed);
inline constexpr const char* kBoxCommands = ">";
inline constexpr const char* kBoxSql = ":";

struct BoxTable {
  std::string_view name;  ///< name and title of its TableInfo
  msg::Id title;
};

struct BoxFile {
  std::string name;
  std::string folder;
  bool missing = false;
};

/// The state of the window on which the list depends. The views and pointers are valid during the call.
struct BoxContext {
  bool searches = false;                  ///< whether the page has a search
  std::optional<TimeRange> content = {};  ///< times of the trace; nullopt if the page is not a timeline
  const Steps* steps = nullptr;           ///< null while unknown
  const FoundNames* names = nullptr;      ///< of this or an earlier text; null while unknown
  const SearchCompletions* completions = nullptr;
  std::span<const BoxTable> tables = {};
  std::span<const BoxFile> files = {};
  std::string_view device = "GPU";  ///< word for devices in titles; see device_word()
  std::function<bool(CommandId)> available = [](CommandId) { return true; };
};

/// One line of the list.
struct BoxEntry {
  enum class Kind : std::uint8_t {
    search,      ///< searches for `text`
    name,        ///< searches for the slices of a name; `text` is the query
    completion,  ///< replaces what was typed by `text`
    command,
    table,
    file,
    sql,    ///< runs `text`
    time,   ///< goes to `number` ns
    step,   ///< goes to the step with the index `number`
    event,  ///< searches for `text` and goes to the first hit
    nothing,
  };
  Kind kind{};
  std::string title = {};
  std::string detail = {};                ///< shown at the right end
  std::vector<std::size_t> matched = {};  ///< bytes of the title to emphasize, ascending
  bool available = true;
  bool failed = false;  ///< whether `detail` is an error
  CommandId command{};
  std::string_view table = {};  ///< name of the table
  std::size_t file = 0;         ///< index into BoxContext::files
  std::string text = {};
  std::int64_t number = 0;
};

/// Returns the entries for a typed text; the first available one is chosen by Enter. In BoxMode::everything:
/// the place that is typed, the search, completions of its last word, up to FoundNames::kMost names by total
/// time, then up to 3 commands, tables and files each. Tables precede commands if they match better. If no
/// slice matches, the search comes last. Without a text: examples for a trace, and recent files. If the page
/// has no search, also commands and tables.
std::vector<BoxEntry> box_entries(std::string_view typed, const BoxContext& context);

/// Returns the heading above entries of a kind; nullopt if they need none.
std::optional<Text> box_heading(BoxEntry::Kind kind, bool typed);

/// Returns "28 kernels, 47.9 ms".
std::string name_total_text(const FoundName& name);

}  // namespace kino
