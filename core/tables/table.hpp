// A table with typed columns that explain themselves: what every analysis is shown, sorted and exported as.
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

/// What a column's numbers are. Renderers choose the text; exports write the plain number.
enum class Unit : std::uint8_t {
  text,
  count,
  id,  ///< the number of an event: no amount, so its digits are not grouped
  ns,
  bytes,
  share,    ///< 0..1
  percent,  ///< 0..100, as written in the file
  number,
  gb_per_s,  ///< 10^9 bytes a second
  tflop_per_s,
  flop,
};

/// "ns", "GB/s"; empty for text, counts, ids and plain numbers.
std::string_view text_of(Unit unit);

inline constexpr std::int64_t kNoInteger = std::numeric_limits<std::int64_t>::min();
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
/// Returns no value for numbers below 0, which stand for unknown.
constexpr std::int64_t known_or_none(std::int64_t number) { return number < 0 ? kNoInteger : number; }
constexpr double known_or_none(double number) { return number < 0 ? kNoNumber : number; }

struct TableColumn {
  using Integers = std::vector<std::int64_t>;  ///< kNoInteger: no value
  using Numbers = std::vector<double>;         ///< NaN: no value
  using Texts = std::vector<std::string>;

  std::string key;  ///< of JSON and CSV: "total_ns"
  Message title;    ///< "Total"
  Unit unit = Unit::text;
  Message definition;  ///< one sentence
  std::variant<Integers, Numbers, Texts> values;
  /// The texts as messages, row by row; empty ones are as in `values`. Without rows: all are names of the file.
  std::vector<Message> words;
  bool export_only = false;  ///< people see it better in another column

  std::size_t size() const;
  bool is_text() const { return std::holds_alternative<Texts>(values); }
  /// Adds a row to a column of words.
  void add_word(Message word);
};

struct Table {
  std::string name;  ///< of the command line: "kernels"
  Message title;
  Message definition;                 ///< what a row is, and the source of the definition
  std::deque<TableColumn> columns;    ///< those added stay where they are
  std::vector<RowLink> links;         ///< where rows lead, of each row as many; empty: nowhere
  std::vector<std::uint32_t> depths;  ///< by row: how far in the first column stands; empty: no tree
  std::vector<Message> notes;         ///< coverage and doubts, a sentence each

  std::size_t row_count() const { return columns.empty() ? 0 : columns.front().size(); }
  /// Where a row leads.
  std::span<const RowLink> links_of(std::uint32_t row) const;
  /// The first of its links of this kind into this recording; null: none.
  const RowLink* link_of(std::uint32_t row, RowLink::Kind kind, std::uint32_t recording = 0) const;
  /// Of the table's own recording, or kNoSlice.
  SliceId slice_of(std::uint32_t row) const;
  /// Of a recording, or kNoAllocation.
  AllocationId allocation_of(std::uint32_t row, std::uint32_t recording = 0) const;
  const TableColumn* find(std::string_view key) const;

  TableColumn::Integers& add_integers(std::string key, Message column_title, Unit unit, Message about);
  TableColumn::Numbers& add_numbers(std::string key, Message column_title, Unit unit, Message about);
  TableColumn::Texts& add_texts(std::string key, Message column_title, Message about);

  /// Adds a column with one value per row. `get` is a pointer to a member, or a function of the row.
  template <class Rows, class Get>
  void integers_of(const Rows& rows, const char* key, Message column_title, Unit unit, Message about,
                   Get&& get) {
    TableColumn::Integers& column = add_integers(key, std::move(column_title), unit, std::move(about));
    for (const auto& row : rows) column.push_back(static_cast<std::int64_t>(std::invoke(get, row)));
  }
  template <class Rows, class Get>
  void numbers_of(const Rows& rows, const char* key, Message column_title, Unit unit, Message about,
                  Get&& get) {
    TableColumn::Numbers& column = add_numbers(key, std::move(column_title), unit, std::move(about));
    for (const auto& row : rows) column.push_back(std::invoke(get, row));
  }
  template <class Rows, class Get>
  void texts_of(const Rows& rows, const char* key, Message column_title, Message about, Get&& get) {
    TableColumn::Texts& column = add_texts(key, std::move(column_title), std::move(about));
    for (const auto& row : rows) column.emplace_back(std::invoke(get, row));
  }
  /// A column of words that are translated: `get` returns a Message.
  template <class Rows, class Get>
  void words_of(const Rows& rows, const char* key, Message column_title, Message about, Get&& get) {
    add_texts(key, std::move(column_title), std::move(about));
    for (const auto& row : rows) columns.back().add_word(std::invoke(get, row));
  }
};

/// One criterion of an order.
struct TableOrder {
  std::size_t column = 0;
  bool descending = true;
  bool operator==(const TableOrder&) const = default;
};

/// A condition on one column: see ColumnCondition.
struct ColumnFilter {
  std::size_t column = 0;
  std::string text;  ///< as typed; empty holds for every row
  bool operator==(const ColumnFilter&) const = default;
};

/// Rows that hold `filter` (any case of ASCII letters) in one of their texts and meet all conditions on
/// columns, in order of the criteria, else as they are; rows without a value last. O(n log n).
std::vector<std::uint32_t> ordered_rows(const Table& table, const std::vector<TableOrder>& order,
                                        std::string_view filter = {},
                                        const std::vector<ColumnFilter>& columns = {});

}  // namespace kino
