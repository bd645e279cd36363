// Names of the arguments of a trace's events, for search and its suggestions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// Names of arguments. Names that differ only in case and in characters other than letters and digits are one
/// field.
class ArgumentFields {
 public:
  struct Field {
    std::string name;  ///< name for display: "External id"
    std::string key;   ///< argument_key() of the name: "externalid"
  };

  /// Adds a name with its spelling for display. If the field exists, keeps the lexicographically smaller
  /// spelling. Ignores names without letters and digits.
  void add(std::string_view name, std::string spelled);
  void add(std::string_view name) { add(name, std::string(name)); }
  /// Returns the fields, sorted by key.
  const std::vector<Field>& all() const { return fields_; }
  bool has(std::string_view key) const;
  /// Returns the known key with the smallest Levenshtein distance from `key`, at most a third of the
  /// characters of `key`; empty if there is none. O(length of `key` * length of all fields).
  std::string nearest(std::string_view key) const;

 private:
  std::vector<Field> fields_;
};

}  // namespace kino
