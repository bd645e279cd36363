#include "app/ui/box/box_entries.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "app/ui/box/box_place.hpp"
#include "app/ui/box/title_match.hpp"
#include "app/ui/commands/search_words.hpp"
#include "app/ui/tables/table_results.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/name_text.hpp"
#include "core/trace/slice_kind.hpp"

namespace kino {
namespace {

using Entries = std::vector<BoxEntry>;
using EntryKind = BoxEntry::Kind;

constexpr std::array kLanguages{Language::english, Language::japanese, Language::chinese};
constexpr std::size_t kMostOfEach = 3;  // commands, tables and files among other entries
constexpr std::size_t kMostCompletions = 6;
constexpr std::size_t kMostFiles = 8;  // without a text
constexpr std::size_t kLongestShown = 120;

struct Example {
  std::string_view typed;
  Text about{};
};
constexpr std::array kExamples{Example{"kind:kernel", Text::search_example_kind},
                               Example{"dur>1ms", Text::search_example_duration},
                               Example{"/^nccl.*reduce/", Text::search_example_regex},
                               Example{"step 7", Text::box_example_step},
                               Example{"12.5ms", Text::box_example_time},
                               Example{"#4711", Text::box_example_number},
                               Example{kBoxCommands, Text::box_example_commands},
                               Example{kBoxSql, Text::box_example_sql}};
constexpr std::array kQueries{
    Example{
        "SELECT name, count(*) AS n, sum(dur) AS dur FROM kernel GROUP BY name ORDER BY dur DESC LIMIT 50",
        Text::sql_example_kernels},
    Example{"SELECT cause, count(*) AS n, sum(dur) AS dur FROM gap GROUP BY cause ORDER BY dur DESC",
            Text::sql_example_gaps}};
// Offered while nothing is typed and the page has no search.
constexpr std::array kFirstCommands{CommandId::open_files,  CommandId::open_sample,  CommandId::tour,
                                    CommandId::record,      CommandId::compare_runs, CommandId::watch_folder,
                                    CommandId::toggle_help, CommandId::toggle_theme};

std::string shown(std::string_view text) { return escaped(cut_text(text, kLongestShown)); }

std::string table_title(const BoxTable& table, Language language) {
  std::string title = tr(Text::box_table, language);
  title.replace(title.find("{0}"), 3, message_form(table.title, language));
  return title;
}

struct Ranked {
  TitleRank rank{};
  BoxEntry entry;
};

/// Returns the first `most` entries, in the given order or, if `sorted` is set, by availability, rank and
/// length of the title.
Entries best_of(std::vector<Ranked> found, std::size_t most, bool sorted) {
  if (sorted) {
    std::ranges::stable_sort(found, [](const Ranked& a, const Ranked& b) {
      const auto key = [](const Ranked& one) {
        return std::tuple(!one.entry.available, -static_cast<int>(one.rank), one.entry.title.size());
      };
      return key(a) < key(b);
    });
  }
  Entries entries;
  entries.reserve(std::min(most, found.size()));
  for (Ranked& one : std::span(found).first(std::min(most, found.size())))
    entries.push_back(std::move(one.entry));
  return entries;
}

/// Returns the best rank of an available entry; nullopt if there is none.
std::optional<TitleRank> best_rank(const std::vector<Ranked>& found) {
  std::optional<TitleRank> best;
  for (const Ranked& one : found) {
    if (one.entry.available) best = std::max(best.value_or(one.rank), one.rank);
  }
  return best;
}

/// Appends an entry if its title, in which `device` replaces "GPU", or one of its words matches in any language. `title_in` and `words_of`
/// return them in a language; `name` is an additional title.
void add_if_like(std::string_view text, std::string_view name, const auto& title_in, const auto& words_of,
                 BoxEntry entry, std::string_view device, std::vector<Ranked>& found) {
  TitleTexts texts{device_text(std::string(title_in(language())), device), {}, {}, name};
  for (const Language one : kLanguages) {
    texts.other_titles.emplace_back(title_in(one));
    texts.words.push_back(words_of(one));
  }
  auto match = match_title(text, texts);
  if (!match) return;
  entry.title = std::move(texts.title);
  entry.matched = std::move(match->positions);
  found.push_back({match->rank, std::move(entry)});
}

std::vector<Ranked> commands_like(std::string_view text, const BoxContext& context) {
  std::vector<Ranked> found;
  for (const CommandInfo& command : all_commands()) {
    add_if_like(
        text, command.name, [&](Language one) { return tr(command.title, one); },
        [&](Language one) { return search_words(command.id, one); },
        {.kind = EntryKind::command, .available = context.available(command.id), .command = command.id},
        context.device, found);
  }
  return found;
}

std::vector<Ranked> tables_like(std::string_view text, const BoxContext& context) {
  std::vector<Ranked> found;
  for (const BoxTable& table : context.tables) {
    add_if_like(
        text, table.name, [&](Language one) { return table_title(table, one); },
        [&](Language one) { return search_words(table.name, one); },
        {.kind = EntryKind::table, .command = CommandId::show_tables, .table = table.name}, context.device,
        found);
  }
  return found;
}

Entries files_like(std::string_view text, const BoxContext& context, std::size_t most) {
  Entries entries;
  for (std::size_t i = 0; i < context.files.size() && entries.size() < most; ++i) {
    const BoxFile& file = context.files[i];
    if (!contains_ignoring_case(file.name, text)) continue;
    entries.push_back({.kind = EntryKind::file,
                       .title = escaped(file.name),
                       .detail = escaped(file.folder),
                       .available = !file.missing,
                       .file = i});
  }
  return entries;
}

void append(Entries& to, Entries from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

std::string total_text(const std::string& count, std::int64_t total_ns) {
  return filled(Text::box_count_and_time, {count, text_from_duration(total_ns)});
}

BoxEntry search_entry(std::string_view text, const BoxContext& context) {
  BoxEntry entry{.kind = EntryKind::search,
                 .title = filled(Text::box_search_for, {shown(text)}),
                 .text = std::string(text)};
  const FoundNames* const found = context.names;
  if (found == nullptr || found->query != text) return entry;
  if (!found->error.empty()) {
    entry.detail = in_language(found->error);
    entry.failed = true;
  } else if (found->total == 0) {
    entry.detail = tr(Text::search_no_hits);
  } else {
    entry.detail =
        total_text(counted(Text::instances_one, Text::instances_count, found->total), found->total_ns);
  }
  return entry;
}

Entries name_entries(std::string_view text, const BoxContext& context) {
  Entries entries;
  // While the names for this text are being found, the names for the previous text would be misleading.
  if (context.names == nullptr || context.names->query != text) return entries;
  const std::vector<FoundName>& found = context.names->names;
  std::vector<std::string_view> names;
  std::vector<std::string> titles;
  names.reserve(found.size());
  titles.reserve(found.size());
  entries.reserve(found.size());
  for (const FoundName& name : found) {
    names.emplace_back(name.name);
    titles.push_back(short_name(name.name));
  }
  titles = disambiguated(names, std::move(titles));
  for (std::size_t i = 0; i < found.size(); ++i) {
    entries.push_back({.kind = EntryKind::name,
                       .title = shown(titles[i]),
                       .detail = name_total_text(found[i]),
                       .text = query_for_name(found[i].name)});
  }
  return entries;
}

Entries completion_entries(std::string_view typed, const BoxContext& context) {
  Entries entries;
  if (context.completions == nullptr || context.completions->end > typed.size()) return entries;
  for (const SearchCompletion& one : context.completions->list) {
    if (entries.size() == kMostCompletions) break;
    std::string completed(typed);
    completed.replace(context.completions->begin, context.completions->end - context.completions->begin,
                      one.text);
    entries.push_back({.kind = EntryKind::completion,
                       .title = one.text,
                       .detail = one.about,
                       .text = std::move(completed)});
  }
  return entries;
}

BoxEntry time_entry(std::int64_t time_ns, const TimeRange& content) {
  BoxEntry entry{.kind = EntryKind::time,
                 .title = filled(Text::box_go_to_time, {text_from_duration(time_ns)}),
                 .number = time_ns};
  entry.available = time_ns >= content.begin_ns && time_ns <= content.end_ns;
  if (!entry.available) {
    entry.detail = filled(Text::box_trace_ends,
                          {text_from_duration(content.begin_ns), text_from_duration(content.end_ns)});
  }
  return entry;
}

BoxEntry step_entry(std::int64_t number, const Steps* steps) {
  BoxEntry entry{.kind = EntryKind::step, .title = filled(Text::box_go_to_step, {std::to_string(number)})};
  if (steps == nullptr || steps->steps.empty()) {
    entry.available = false;
    entry.detail = steps == nullptr ? "" : tr(Text::box_no_steps);
    return entry;
  }
  const auto found = std::ranges::find(steps->steps, number, &Step::number);
  entry.available = found != steps->steps.end();
  entry.number = found - steps->steps.begin();
  entry.detail = entry.available ? text_from_duration(found->range.length_ns())
                                 : filled(Text::box_steps_are, {std::to_string(steps->steps.front().number),
                                                                std::to_string(steps->steps.back().number)});
  return entry;
}

Entries place_entries(std::string_view text, const BoxContext& context) {
  const std::optional<BoxPlace> place = box_place(text);
  if (!place || !context.content) return {};
  if (place->kind == BoxPlace::Kind::time) return {time_entry(place->number, *context.content)};
  if (place->kind == BoxPlace::Kind::step) return {step_entry(place->number, context.steps)};
  const std::string number = std::to_string(place->number);
  return {{.kind = EntryKind::event,
           .title = filled(Text::box_go_to_correlation, {number}),
           .text = "correlation:" + number},
          {.kind = EntryKind::event,
           .title = filled(Text::box_go_to_external, {number}),
           .text = "externalid:" + number}};
}

Entries example_entries(std::span<const Example> examples, std::string_view prefix) {
  Entries entries;
  entries.reserve(examples.size());
  for (const Example& example : examples) {
    entries.push_back({.kind = EntryKind::completion,
                       .title = std::string(example.typed),
                       .detail = tr(example.about),
                       .text = std::string(prefix) + std::string(example.typed)});
  }
  return entries;
}

Entries first_entries(const BoxContext& context) {
  Entries entries;
  if (context.content) entries = example_entries(kExamples, {});
  if (!context.searches) {
    append(entries, files_like({}, context, kMostFiles));
    for (const CommandId command : kFirstCommands) {
      if (!context.available(command)) continue;
      entries.push_back({.kind = EntryKind::command,
                         .title = device_text(info_of(command).title, context.device),
                         .command = command});
    }
    append(entries, best_of(tables_like({}, context), kMostFiles, false));
  } else {
    append(entries, files_like({}, context, kMostOfEach));
  }
  return entries;
}

Entries sql_entries(std::string_view sql, const BoxContext& context) {
  if (!context.content)
    return {{.kind = EntryKind::nothing, .title = tr(Text::box_sql_needs_trace), .available = false}};
  if (sql.empty()) return example_entries(kQueries, kBoxSql);
  return {
      {.kind = EntryKind::sql, .title = filled(Text::box_run_sql, {shown(sql)}), .text = std::string(sql)}};
}

Entries command_entries(std::string_view text, const BoxContext& context) {
  std::vector<Ranked> found = commands_like(text, context);
  std::vector<Ranked> tables = tables_like(text, context);
  found.insert(found.end(), std::make_move_iterator(tables.begin()), std::make_move_iterator(tables.end()));
  const std::size_t all = found.size();
  return best_of(std::move(found), all, !text.empty());
}

Entries all_entries(std::string_view typed, const BoxContext& context) {
  const std::string_view text = trimmed(typed);
  Entries entries = place_entries(text, context);
  std::vector<Ranked> commands = commands_like(text, context);
  std::vector<Ranked> tables = tables_like(text, context);
  const bool tables_first = best_rank(tables) > best_rank(commands);
  Entries others = best_of(std::move(tables_first ? tables : commands), kMostOfEach, true);
  append(others, best_of(std::move(tables_first ? commands : tables), kMostOfEach, true));
  append(others, files_like(text, context, kMostOfEach));
  if (!context.searches) {
    append(entries, std::move(others));
    return entries;
  }
  const FoundNames* const names = context.names;
  const bool none = names != nullptr && names->query == text && names->error.empty() && names->total == 0;
  BoxEntry search = search_entry(text, context);
  if (!none) entries.push_back(search);
  append(entries, completion_entries(typed, context));
  append(entries, name_entries(text, context));
  append(entries, std::move(others));
  if (none) entries.push_back(std::move(search));
  return entries;
}

}  // namespace

BoxMode box_mode(std::string_view typed) {
  if (typed.starts_with(kBoxCommands)) return BoxMode::commands;
  return typed.starts_with(kBoxSql) ? BoxMode::sql : BoxMode::everything;
}

std::vector<BoxEntry> box_entries(std::string_view typed, const BoxContext& context) {
  const BoxMode mode = box_mode(typed);
  const std::string_view text = trimmed(mode == BoxMode::everything ? typed : typed.substr(1));
  Entries entries = mode == BoxMode::commands ? command_entries(text, context)
                    : mode == BoxMode::sql    ? sql_entries(text, context)
                    : text.empty()            ? first_entries(context)
                                              : all_entries(typed, context);
  if (entries.empty())
    entries.push_back({.kind = EntryKind::nothing, .title = tr(Text::box_nothing), .available = false});
  return entries;
}

std::optional<Text> box_heading(BoxEntry::Kind kind, bool typed) {
  switch (kind) {
    case EntryKind::name:
      return Text::box_group_names;
    case EntryKind::completion:
      return typed ? Text::box_group_fields : Text::box_group_examples;
    case EntryKind::command:
      return Text::box_group_commands;
    case EntryKind::table:
      return Text::box_group_tables;
    case EntryKind::file:
      return Text::box_group_files;
    default:
      return std::nullopt;
  }
}

std::string name_total_text(const FoundName& name) {
  struct Nouns {
    Text one{};
    Text several{};
  };
  const auto nouns = [&]() -> Nouns {
    switch (name.kind.value_or(SliceKind::other)) {
      case SliceKind::compute:
      case SliceKind::communication:
        return {Text::box_one_kernel, Text::box_kernels};
      case SliceKind::copy:
        return {Text::box_one_copy, Text::box_copies};
      case SliceKind::cpu_op:
        return {Text::box_one_operator, Text::box_operators};
      case SliceKind::runtime:
      case SliceKind::python:
        return {Text::box_one_call, Text::box_calls};
      case SliceKind::annotation:
      case SliceKind::gpu_annotation:
        return {Text::box_one_annotation, Text::box_annotations};
      default:
        return {Text::instances_one, Text::instances_count};
    }
  }();
  return total_text(counted(nouns.one, nouns.several, name.count), name.total_ns);
}

}  // namespace kino
