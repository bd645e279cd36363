// Completions of a search query: names of fields, and values of fields with few different values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/text/texts.hpp"
#include "core/trace/argument_fields.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// One completion; `text` replaces the bytes [begin, end) of the query.
struct SearchCompletion {
  std::string text;   ///< "correlation:", "kind:compute "
  std::string about;  ///< description in the language of the window; may be empty
};

struct SearchCompletions {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<SearchCompletion> list;
};

/// Returns completions of the word that ends at byte `cursor` of a query, best first. The program's own
/// fields precede the trace's arguments (`fields`, null while unknown). After "kind:", all kinds are offered;
/// after "cat:" and "track:", the values in the trace, at most 200. A complete or empty word has no
/// completions, unless `all` is set: then every field is offered. O(query + fields + tracks).
SearchCompletions search_completions(std::string_view query, std::size_t cursor, bool all, const Trace& trace,
                                     const ArgumentFields* fields);

}  // namespace kino
