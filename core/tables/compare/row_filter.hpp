// Filter on the rows of a run. It has the syntax of searches, but does not need the trace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/name_pattern.hpp"
#include "core/base/result.hpp"
#include "core/tables/compare/run_record.hpp"

namespace kino {

/// Syntax of SearchQuery, applied to a row: all terms must match. Terms: words of the name, /regex/, name:x,
/// operator:x, shape:x, module:x, kind:compute, communication or copy. Case is ignored.
class RowFilter {
 public:
  /// Parses a filter. A filter without terms matches every row.
  static Result<RowFilter> compile(std::string_view text);
  /// O(length of the row's texts).
  bool matches(const RunRow& row) const;
  /// Whether all terms match `text`. Terms with a field other than name: or `field`: do not match.
  bool matches_text(std::string_view text, std::string_view field) const;

 private:
  struct Term {
    std::string field;                 ///< empty: name
    std::string word;                  ///< in lower case
    std::vector<NamePattern> pattern;  ///< one element for a /regex/
  };
  static bool holds(const Term& term, std::string_view text);

  std::vector<Term> terms_;
};

}  // namespace kino
