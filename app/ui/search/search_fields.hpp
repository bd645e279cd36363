// What the field of a search can be completed to: names of fields, and the values of those that have few.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/text/texts.hpp"
#include "core/trace/argument_fields.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// What stands in place of [begin, end) of the text.
struct SearchCompletion {
  std::string text;   ///< "correlation:", "kind:compute "
  std::string about;  ///< in the language of the window; may be empty
};

struct SearchCompletions {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<SearchCompletion> list;
};

/// For the word that ends at byte `cursor` of a query, best first: the fields that begin with it, those of
/// the program before the trace's own arguments (`fields`, null while they are not known); behind "kind:",
/// "cat:" and "track:" what there is of them. Nothing for a word that is complete or empty, unless `all` are
/// wanted: then all fields where none begins so. O(query + fields + tracks).
SearchCompletions search_completions(std::string_view query, std::size_t cursor, bool all, const Trace& trace,
                                     const ArgumentFields* fields);

}  // namespace kino
