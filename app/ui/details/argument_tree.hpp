// An event's arguments prepared for a table: flat rows with depth, short arrays on one line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/args.hpp"

namespace kino {

/// One line of the table. `copy` is what the clipboard gets: the text exactly as the file has it.
struct ArgumentRow {
  std::string key;
  std::string shown;
  std::string copy;
  std::uint32_t depth = 0;
  std::uint32_t end = 0;  ///< index behind the last row of this one's subtree
  bool open = false;
  bool has_children(std::uint32_t index) const { return end > index + 1; }
  /// The row that is shown below this one.
  std::uint32_t next(std::uint32_t index) const { return has_children(index) && !open ? end : index + 1; }
};

/// The rows of a whole event: its `args` first, then what else the event says beyond name, time and place. At
/// most 500 children of a node and 5,000 rows are listed; a last row then says how many there are.
std::vector<ArgumentRow> argument_rows(const ArgNode& event);

/// A plain integer of five digits or more in groups of three; anything else as it is.
std::string grouped_if_integer(const std::string& text);

/// Whether an argument of this name counts something: bytes, elements, times. Everything else may be an id (a
/// correlation, a stream, an address), whose digits stand together as people copy and search them.
bool is_amount(std::string_view key);

}  // namespace kino
