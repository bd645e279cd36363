// Names of the arguments of a trace's events, for search and its suggestions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// Names of arguments. Names with the same letters and digits are one field.
class ArgumentFields {
 public:
  struct Field {
    std::string name;  ///< name as the source spells it: "External id"
    std::string key;   ///< as in ArgumentTerm: "externalid"
  };

  /// Adds a name and its spelling for display. Ignores names without letters and digits.
  void add(std::string_view name, std::string spelled);
  void add(std::string_view name) { add(name, std::string(name)); }
  /// Sorted by key.
  const std::vector<Field>& all() const { return fields_; }
  bool has(std::string_view key) const;
  /// Returns the key with the smallest spelling distance, at most a third of the letters; empty if there is
  /// none. O(fields * length of both).
  std::string nearest(std::string_view key) const;

 private:
  std::vector<Field> fields_;
};

}  // namespace kino
