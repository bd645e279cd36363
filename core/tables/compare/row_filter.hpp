// Filter on the rows of a run. It has the syntax of searches, but does not need the trace.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/name_pattern.hpp"
#include "core/base/result.hpp"
#include "core/tables/compare/run_record.hpp"

namespace kino {

/// Fields of filters on the work of a run, and of filters on the memory in snapshots.
inline constexpr std::array<std::string_view, 5> kWorkFields{"name", "operator", "shape", "module", "kind"};
inline constexpr std::array<std::string_view, 3> kMemoryFields{"name", "line", "category"};

/// Syntax of SearchQuery, applied to a row: all terms must match. Terms: words of the name, /regex/, name:x,
/// operator:x, shape:x, module:x, kind:x (compute, communication or copy). Case is ignored.
class RowFilter {
 public:
  /// Parses a filter. A filter without terms matches every row. Fails if a quote or regex is not closed, a
  /// regex is invalid, or a field has no value. `fields` is kWorkFields or kMemoryFields. If the filter uses
  /// a field of the other list, fails with a message that lists `fields`.
  static Result<RowFilter> compile(std::string_view text, std::span<const std::string_view> fields);
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
