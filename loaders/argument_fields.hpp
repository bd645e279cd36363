// Which arguments the events of a trace have: what a search can ask for, and what it asks for in vain.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.hpp"
#include "loaders/argument_search.hpp"
#include "loaders/text_source.hpp"

namespace kino {

/// Names of arguments, each once by its letters and digits.
class ArgumentFields {
 public:
  struct Field {
    std::string name;  ///< as the file spells it: "External id"
    std::string key;   ///< as ArgumentTerm has it: "externalid"
  };

  /// A name from a file; what has neither letter nor digit is none.
  void add(std::string_view name);
  /// In the order of their keys.
  const std::vector<Field>& all() const { return fields_; }
  bool has(std::string_view key) const;
  /// The key with the fewest letters to be changed, added or left out, at most a third of them; empty: none.
  /// O(fields * length of both).
  std::string nearest(std::string_view key) const;

 private:
  std::vector<Field> fields_;
};

/// The names in some events of every category, at most 400 events: nearly all there are. Reads them from the
/// text, so for a worker; stops early when asked, or where the text cannot be read.
ArgumentFields sample_argument_fields(const Trace& trace, const TextSource& text,
                                      const std::stop_token& stop = {});

/// All names in all slices' events. Cost, `order`, `progress` and errors as for find_arguments, which see;
/// every event is looked into.
Result<ArgumentFields> all_argument_fields(const Trace& trace, const TextSource& text,
                                           std::span<const std::uint32_t> order, ArgumentProgress& progress,
                                           const std::function<void()>& advanced,
                                           const std::stop_token& stop = {}, unsigned threads = 0);

}  // namespace kino
