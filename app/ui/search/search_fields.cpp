#include "app/ui/search/search_fields.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "core/base/ascii.hpp"
#include "core/trace/slice_kind.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostValues = 200;

struct OwnField {
  std::string_view name;
  Text about;
};
constexpr std::array kOwnFields = {
    OwnField{"name:", Text::search_field_name},          OwnField{"kind:", Text::search_example_kind},
    OwnField{"dur>", Text::search_example_duration},     OwnField{"dur<", Text::search_field_shorter},
    OwnField{"track:", Text::search_example_track},      OwnField{"cat:", Text::search_example_category},
    OwnField{"shape:", Text::search_field_shape},        OwnField{"dims:", Text::search_field_shape},
    OwnField{"args:", Text::search_example_any_argument}};

/// Returns the start of the word that ends at `cursor`: the byte after the last blank outside quotes.
std::size_t word_begin(std::string_view query, std::size_t cursor) {
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < cursor; ++i) {
    if (query[i] == '"') quoted = !quoted;
    if (!quoted && (query[i] == ' ' || query[i] == '\t')) begin = i + 1;
  }
  return begin;
}

std::string value_text(std::string_view field, std::string_view value) {
  const bool quotes = value.find_first_of(" \t") != std::string_view::npos;
  return std::string(field) + (quotes ? "\"" : "") + std::string(value) + (quotes ? "\" " : " ");
}

/// Adds the values of a field that contain the text typed so far.
void add_values(std::string_view field, std::string_view typed, const Trace& trace,
                std::vector<SearchCompletion>& list) {
  if (typed.starts_with('"')) typed.remove_prefix(1);
  const auto add = [&](std::string_view value) {
    if (value.empty() || value == typed || value.find('"') != std::string_view::npos) return;
    if (contains_ignoring_case(value, typed) && list.size() < kMostValues)
      list.push_back({value_text(field, value), {}});
  };
  if (field == "kind:") {
    for (const std::string_view several : {"kernel", "gpu"}) add(several);
    for (int kind = 0; kind < kSliceKindCount; ++kind) add(text_of(static_cast<SliceKind>(kind)));
  } else if (field == "cat:") {
    for (const std::string_view category : trace.categories) add(category);
  } else if (field == "track:") {
    std::set<std::string_view> names;  // several processes may have tracks of the same name
    for (const Track& track : trace.tracks) names.insert(track.name);
    for (const std::string_view name : names) add(name);
  }
}

void add_fields(std::string_view word, const ArgumentFields* fields, std::vector<SearchCompletion>& list) {
  for (const OwnField& own : kOwnFields) {
    if (begins_with_ignoring_case(own.name, word) && own.name != word)
      list.push_back({std::string(own.name), tr(own.about)});
  }
  if (fields == nullptr) return;
  std::string key;
  for (const char c : word) {
    if (c != '_' && c != '-') key += lower(c);
  }
  for (const ArgumentFields::Field& field : fields->all()) {
    const auto own = [&](const OwnField& known) { return known.name == field.key + ':'; };
    if (!begins_with_ignoring_case(field.key, key) || std::ranges::any_of(kOwnFields, own)) continue;
    list.push_back({field.key + ':', filled(Text::search_field_argument, {field.name})});
  }
}

}  // namespace

SearchCompletions search_completions(std::string_view query, std::size_t cursor, bool all, const Trace& trace,
                                     const ArgumentFields* fields) {
  SearchCompletions found;
  cursor = std::min(cursor, query.size());
  found.begin = word_begin(query, cursor);
  found.end = cursor;
  const std::string_view word = query.substr(found.begin, cursor - found.begin);
  if (const std::size_t colon = word.find(':'); colon != std::string_view::npos) {
    add_values(lowered(word.substr(0, colon + 1)), word.substr(colon + 1), trace, found.list);
  } else if (all || !word.empty()) {
    add_fields(word, fields, found.list);
  }
  if (found.list.empty() && all) {
    // Offer a further term after the existing one.
    found.begin = found.end;
    add_fields({}, fields, found.list);
    if (!word.empty()) {
      for (SearchCompletion& completion : found.list) completion.text.insert(0, " ");
    }
  }
  return found;
}

}  // namespace kino
