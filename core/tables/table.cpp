#include "core/tables/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/ascii.hpp"
#include "core/tables/column_filter.hpp"

namespace kino {
namespace {

/// Compares rows a and b of the column: -1 if a is first, 1 if b is first, 0 if they are equal. Missing
/// values are last in both directions.
int compare(const TableColumn& column, bool descending, std::uint32_t a, std::uint32_t b) {
  const auto by = [descending](const auto& x, const auto& y) {
    if (x == y) return 0;
    return (x < y) != descending ? -1 : 1;
  };
  const auto missing = [](bool x, bool y) { return x == y ? 0 : x ? 1 : -1; };
  if (const auto* integers = std::get_if<TableColumn::Integers>(&column.values)) {
    const std::int64_t x = (*integers)[a];
    const std::int64_t y = (*integers)[b];
    if (x == kNoInteger || y == kNoInteger) return missing(x == kNoInteger, y == kNoInteger);
    return by(x, y);
  }
  if (const auto* numbers = std::get_if<TableColumn::Numbers>(&column.values)) {
    const double x = (*numbers)[a];
    const double y = (*numbers)[b];
    if (std::isnan(x) || std::isnan(y)) return missing(std::isnan(x), std::isnan(y));
    return by(x, y);
  }
  const auto& texts = std::get<TableColumn::Texts>(column.values);
  return by(texts[a], texts[b]);
}

template <class Values>
Values& add(Table& table, std::string key, Message title, Unit unit, Message definition) {
  table.columns.push_back(
      {std::move(key), std::move(title), unit, std::move(definition), Values{}, {}, false});
  return std::get<Values>(table.columns.back().values);
}

}  // namespace

std::string_view text_of(Unit unit) {
  constexpr std::array<std::string_view, 11> kNames{"",  "", "",     "ns",      "B",   "",
                                                    "%", "", "GB/s", "TFLOP/s", "FLOP"};
  return kNames[static_cast<std::size_t>(unit)];
}

std::size_t TableColumn::size() const {
  return std::visit([](const auto& list) { return list.size(); }, values);
}

void TableColumn::add_word(Message word) {
  std::get<Texts>(values).push_back(word.str());
  words.push_back(word.is_verbatim() ? Message() : std::move(word));
}

const TableColumn* Table::find(std::string_view key) const {
  const auto found = std::ranges::find(columns, key, &TableColumn::key);
  return found == columns.end() ? nullptr : &*found;
}

std::span<const RowLink> Table::links_of(std::uint32_t row) const {
  const std::size_t rows = row_count();
  if (row >= rows) return {};
  const std::size_t each = links.size() / rows;
  return std::span(links).subspan(row * each, each);
}

const RowLink* Table::link_of(std::uint32_t row, RowLink::Kind kind, std::uint32_t recording) const {
  for (const RowLink& link : links_of(row)) {
    if (link.kind() == kind && link.recording() == recording) return &link;
  }
  return nullptr;
}

SliceId Table::slice_of(std::uint32_t row) const {
  const RowLink* const link = link_of(row, RowLink::Kind::slice);
  return link != nullptr ? link->slice() : kNoSlice;
}

AllocationId Table::allocation_of(std::uint32_t row, std::uint32_t recording) const {
  const RowLink* const link = link_of(row, RowLink::Kind::allocation, recording);
  return link != nullptr ? link->allocation() : kNoAllocation;
}

TableColumn::Integers& Table::add_integers(std::string key, Message column_title, Unit unit, Message about) {
  return add<TableColumn::Integers>(*this, std::move(key), std::move(column_title), unit, std::move(about));
}
TableColumn::Numbers& Table::add_numbers(std::string key, Message column_title, Unit unit, Message about) {
  return add<TableColumn::Numbers>(*this, std::move(key), std::move(column_title), unit, std::move(about));
}
TableColumn::Texts& Table::add_texts(std::string key, Message column_title, Message about) {
  return add<TableColumn::Texts>(*this, std::move(key), std::move(column_title), Unit::text,
                                 std::move(about));
}

std::vector<std::uint32_t> ordered_rows(const Table& table, const std::vector<TableOrder>& order,
                                        std::string_view filter, const std::vector<ColumnFilter>& columns) {
  std::vector<std::uint32_t> rows;
  std::vector<ColumnCondition> conditions;
  conditions.reserve(columns.size());
  for (const ColumnFilter& column : columns)
    conditions.emplace_back(table.columns[column.column], column.text);
  for (std::uint32_t row = 0; row < table.row_count(); ++row) {
    const bool matches = filter.empty() || std::ranges::any_of(table.columns, [&](const TableColumn& column) {
                           const auto* texts = std::get_if<TableColumn::Texts>(&column.values);
                           return texts != nullptr && contains_ignoring_case((*texts)[row], filter);
                         });
    const bool meets = std::ranges::all_of(
        conditions, [row](const ColumnCondition& condition) { return condition.holds(row); });
    if (matches && meets) rows.push_back(row);
  }
  std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    for (const TableOrder& by : order) {
      const int result = compare(table.columns[by.column], by.descending, a, b);
      if (result != 0) return result < 0;
    }
    return false;
  });
  return rows;
}

}  // namespace kino
