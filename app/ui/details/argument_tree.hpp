// An event's arguments prepared for a table: flat rows with depth, short arrays and objects on one line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/args.hpp"

namespace kino {

/// One line of the table. `copy` is the unformatted text for the clipboard.
struct ArgumentRow {
  std::string key;
  std::string shown;
  std::string copy;
  std::uint32_t depth = 0;
  std::uint32_t end = 0;  ///< index after the last row of this row's subtree
  bool open = false;
  bool has_children(std::uint32_t index) const { return end > index + 1; }
  /// Index of the row shown below this one.
  std::uint32_t next(std::uint32_t index) const { return has_children(index) && !open ? end : index + 1; }
};

/// Returns the rows of an event: its `args`, then its other fields except name, category, type, times,
/// process and thread, which are shown elsewhere. Lists at most 500 children of each nested node and about
/// 5,000 rows. A last row of a node states how many children were omitted.
std::vector<ArgumentRow> argument_rows(const ArgNode& event);

/// Groups the digits of an integer of 5 to 19 digits; other texts are unchanged.
std::string grouped_if_integer(const std::string& text);

/// Whether an argument of this name is a quantity (bytes, elements, times). Other numbers may be ids (a
/// correlation, stream or address). Users copy and search for ids, so their digits must not be grouped.
bool is_quantity(std::string_view key);

}  // namespace kino
