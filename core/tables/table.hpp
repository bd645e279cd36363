// Tables with typed, documented columns: the common result of all analyses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/allocation_ids.hpp"
#include "core/base/ids.hpp"
#include "core/base/messages/message.hpp"
#include "core/tables/row_link.hpp"

namespace kino {

/// Unit of a column. Renderers format the value; exports write the plain number.
enum class Unit : std::uint8_t {
  text,
  count,
  id,  ///< identifier, such as the number of an event: digits are not grouped
  ns,
  bytes,
  share,    ///< 0..1
  percent,  ///< 0..100, as written in the file
  number,
  gb_per_s,  ///< 10^9 bytes per second
  tflop_per_s,
  flop,
};

/// Returns "ns", "GB/s", ...; empty for texts, counts, ids, shares and plain numbers.
std::string_view text_of(Unit unit);

inline constexpr std::int64_t kNoInteger = std::numeric_limits<std::int64_t>::min();
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
/// Returns kNoInteger or kNoNumber for a negative `number`, which means unknown, and `number` otherwise.
constexpr std::int64_t known_or_none(std::int64_t number) { return number < 0 ? kNoInteger : number; }
constexpr double known_or_none(double number) { return number < 0 ? kNoNumber : number; }

struct TableColumn {
  using Integers = std::vector<std::int64_t>;  ///< kNoInteger: no value
  using Numbers = std::vector<double>;         ///< NaN: no value
  using Texts = std::vector<std::string>;

  std::string key;  ///< name in JSON and CSV: "total_ns"
  Message title;    ///< "Total"
  Unit unit = Unit::text;
  Message definition;  ///< one sentence
  std::variant<Integers, Numbers, Texts> values;
  /// Translatable texts by row; `values` contains them in English. If a row's message is empty, its text in
  /// `values` is not translated. The list is empty if no text of the column is translatable.
  std::vector<Message> words;
  bool export_only = false;  ///< whether text output omits the column, and the window hides it by default,
                             ///< because other columns show its content in readable form

  std::size_t size() const;
  bool is_text() const { return std::holds_alternative<Texts>(values); }
  /// Appends a row to a column of translatable texts.
  void add_word(Message word);
};

struct Table {
  std::string name = {};  ///< name on the command line: "kernels"
  Message title = {};
  Message definition = {};               ///< meaning of a row, and the source of the definition
  std::deque<TableColumn> columns = {};  ///< references remain valid when columns are added
  std::vector<RowLink> links = {};       ///< the same number of links for every row; empty: no links
  std::vector<std::uint32_t> depths =
      {};                           ///< indentation of the first column by row; empty if the table is not a
                                    ///< tree
  std::string device = "GPU";       ///< word of texts for the devices of the rows, see device_word()
  std::vector<Message> notes = {};  ///< notes on coverage and accuracy, one sentence each

  std::size_t row_count() const { return columns.empty() ? 0 : columns.front().size(); }
  std::span<const RowLink> links_of(std::uint32_t row) const;
  /// Returns the row's first link of this kind to `recording`, or null.
  const RowLink* link_of(std::uint32_t row, RowLink::Kind kind, std::uint32_t recording = 0) const;
  /// Returns the slice in the table's own recording that the row links to, or kNoSlice.
  SliceId slice_of(std::uint32_t row) const;
  /// Returns the allocation in `recording` that the row links to, or kNoAllocation.
  AllocationId allocation_of(std::uint32_t row, std::uint32_t recording = 0) const;
  const TableColumn* find(std::string_view key) const;

  TableColumn::Integers& add_integers(std::string key, Message column_title, Unit unit, Message about);
  TableColumn::Numbers& add_numbers(std::string key, Message column_title, Unit unit, Message about);
  TableColumn::Texts& add_texts(std::string key, Message column_title, Message about);

  /// Adds a column with one value per row. `get` returns the value of a row; it may be a pointer to a member.
  template <class Rows, class Get>
  void integers_of(const Rows& rows, const char* key, Message column_title, Unit unit, Message about,
                   Get&& get) {
    TableColumn::Integers& column = add_integers(key, std::move(column_title), unit, std::move(about));
    for (const auto& row : rows) column.push_back(static_cast<std::int64_t>(std::invoke(get, row)));
  }
  template <class Rows, class Get>
  void number_column(const Rows& rows, const char* key, Message column_title, Unit unit, Message about,
                     Get&& get) {
    TableColumn::Numbers& column = add_numbers(key, std::move(column_title), unit, std::move(about));
    for (const auto& row : rows) column.push_back(std::invoke(get, row));
  }
  template <class Rows, class Get>
  void texts_of(const Rows& rows, const char* key, Message column_title, Message about, Get&& get) {
    TableColumn::Texts& column = add_texts(key, std::move(column_title), std::move(about));
    for (const auto& row : rows) column.emplace_back(std::invoke(get, row));
  }
  /// Adds a column of translatable texts. `get` returns the Message of a row.
  template <class Rows, class Get>
  void text_column(const Rows& rows, const char* key, Message column_title, Message about, Get&& get) {
    add_texts(key, std::move(column_title), std::move(about));
    for (const auto& row : rows) columns.back().add_word(std::invoke(get, row));
  }
};

struct TableOrder {
  std::size_t column = 0;
  bool descending = true;
  bool operator==(const TableOrder&) const = default;
};

/// Filter on one column: see ColumnCondition.
struct ColumnFilter {
  std::size_t column = 0;
  std::string text;  ///< as typed; empty matches every row
  bool operator==(const ColumnFilter&) const = default;
};

/// Returns the rows that match `filter` and all column filters. A row matches `filter` if one of its texts
/// contains it (ASCII case ignored). An empty filter matches all rows. The rows are sorted by `order`,
/// missing values last; equal rows remain in the table's order. O(n log n).
std::vector<std::uint32_t> ordered_rows(const Table& table, const std::vector<TableOrder>& order,
                                        std::string_view filter = {},
                                        const std::vector<ColumnFilter>& columns = {});

}  // namespace kino
