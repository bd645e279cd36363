// Which arguments the events of a trace have: what a search can ask for, and what it asks for in vain.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// Names of arguments, each once by its letters and digits.
class ArgumentFields {
 public:
  struct Field {
    std::string name;  ///< as the source spells it: "External id"
    std::string key;   ///< as ArgumentTerm has it: "externalid"
  };

  /// A name by which arguments are found, and how people read it; what has neither letter nor digit is none.
  void add(std::string_view name, std::string spelled);
  void add(std::string_view name) { add(name, std::string(name)); }
  /// In the order of their keys.
  const std::vector<Field>& all() const { return fields_; }
  bool has(std::string_view key) const;
  /// The key with the fewest letters to be changed, added or left out, at most a third of them; empty: none.
  /// O(fields * length of both).
  std::string nearest(std::string_view key) const;

 private:
  std::vector<Field> fields_;
};

}  // namespace kino
