#include "app/pages/query/sql_result.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/shell/settings/kernel_categories.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "loaders/query/query_session.hpp"

namespace kino {
namespace {

using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

constexpr double kMostSeconds = 600;
constexpr std::size_t kLongestText = 100'000;

/// Stores the rows of a result by column.
class KeptRows : public QueryRows {
 public:
  explicit KeptRows(const std::function<void(const Message&)>& slow) : slow_(slow) {}
  void columns(std::span<const std::string> names) override {
    names_.assign(names.begin(), names.end());
    cells_.resize(names_.size());
  }
  void row(std::span<const QueryValue> values) override {
    for (std::size_t i = 0; i < values.size(); ++i) cells_[i].push_back(cell_of(values[i]));
  }

  void slow(const Message& sentence) override { slow_(sentence); }

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Cell>& column(std::size_t i) const { return cells_[i]; }
  std::size_t rows() const { return cells_.empty() ? 0 : cells_.front().size(); }
  std::optional<std::size_t> named(std::string_view name) const {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names_.begin());
  }
  std::optional<std::int64_t> integer(std::optional<std::size_t> column, std::size_t row) const {
    const std::int64_t* const value = column ? std::get_if<std::int64_t>(&cells_[*column][row]) : nullptr;
    return value != nullptr ? std::optional(*value) : std::nullopt;
  }

 private:
  static Cell cell_of(const QueryValue& value) {
    if (const auto* text = std::get_if<std::string_view>(&value))
      return std::string(text->substr(0, kLongestText));
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
    if (const auto* number = std::get_if<double>(&value)) return *number;
    return std::monostate{};
  }

  const std::function<void(const Message&)>& slow_;
  std::vector<std::string> names_;
  std::vector<std::vector<Cell>> cells_;
};

/// Returns whether `text` contains `word` without letters beside it.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool before = at > 0 && is_letter(text[at - 1]);
    const std::size_t end = at + word.size();
    if (!before && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

Unit unit_of(std::string_view name) {
  if (name == "ts" || name == "id" || name.ends_with("_id")) return Unit::id;
  if (has_word(name, "dur") || name.ends_with("_ns")) return Unit::ns;
  if (has_word(name, "bytes")) return Unit::bytes;
  return Unit::count;
}

std::string text_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return std::to_string(*number);
  return {};
}

template <class Type>
bool all_are(const std::vector<Cell>& cells) {
  return std::ranges::all_of(cells, [](const Cell& cell) {
    return std::holds_alternative<std::monostate>(cell) || std::holds_alternative<Type>(cell);
  });
}

void add_column(const KeptRows& rows, std::size_t index, Table& table) {
  const std::vector<Cell>& cells = rows.column(index);
  const std::string& name = rows.names()[index];
  const bool negative = std::ranges::any_of(cells, [](const Cell& cell) {
    const auto* value = std::get_if<std::int64_t>(&cell);
    return value != nullptr && *value == kNoInteger;
  });
  const bool texts =
      std::ranges::any_of(cells, [](const Cell& cell) { return std::holds_alternative<std::string>(cell); });
  if (all_are<std::int64_t>(cells) && !negative) {
    TableColumn::Integers& values = table.add_integers(name, name, unit_of(name), msg::nothing);
    for (const Cell& cell : cells) {
      const auto* value = std::get_if<std::int64_t>(&cell);
      values.push_back(value != nullptr ? *value : kNoInteger);
    }
  } else if (!texts && !negative) {
    const Unit unit = unit_of(name);
    TableColumn::Numbers& values = table.add_numbers(
        name, name, unit == Unit::ns || unit == Unit::bytes ? unit : Unit::number, msg::nothing);
    for (const Cell& cell : cells) {
      const auto* integer = std::get_if<std::int64_t>(&cell);
      const auto* number = std::get_if<double>(&cell);
      values.push_back(integer != nullptr  ? static_cast<double>(*integer)
                       : number != nullptr ? *number
                                           : kNoNumber);
    }
  } else {
    TableColumn::Texts& values = table.add_texts(name, name, msg::nothing);
    for (const Cell& cell : cells) values.push_back(text_of(cell));
  }
}

/// Returns the link of a row, according to the columns slice_id, id, ts and dur. Other tables also have a
/// column `id`. An `id` is therefore only a slice's id if `ts` is the start of that slice.
RowLink link_of(const KeptRows& rows, std::size_t row, const QueryModel& model) {
  const std::optional<std::int64_t> ts = rows.integer(rows.named("ts"), row);
  const auto slice_of = [&](std::optional<std::int64_t> id) {
    return id && *id >= 0 && *id < static_cast<std::int64_t>(model.slice_count())
               ? SliceId{static_cast<std::uint32_t>(*id)}
               : kNoSlice;
  };
  const SliceId named = slice_of(rows.integer(rows.named("slice_id"), row));
  if (named != kNoSlice) return named;
  const SliceId own = slice_of(rows.integer(rows.named("id"), row));
  if (own != kNoSlice && ts && model.unix_ns(model.start_ns(index_of(own))) == *ts) return own;
  const std::optional<std::int64_t> dur = rows.integer(rows.named("dur"), row);
  if (!ts || !dur || *dur < 0) return {};
  const std::int64_t begin = *ts - model.unix_ns(0);
  return TimeRange{begin, begin + *dur};
}

}  // namespace

const TableInfo kSqlTable{"sql", msg::result, msg::nothing, msg::about_sql};

Result<Table> sql_table(const std::shared_ptr<const QueryModel>& model, const std::string& sql,
                        const std::function<void(const Message&)>& slow, const std::stop_token& stop) {
  KeptRows rows(slow);
  QueryLimits limits;
  limits.rows = kMostSqlRows;
  limits.units = byte_units();
  limits.work_rules = kernel_categories();
  limits.seconds = kMostSeconds;
  const Result<QueryEnd> end = run_query({&model, 1}, sql, limits, rows, stop);
  if (!end.ok()) return end.error();
  Table table;
  table.name = kSqlTable.name;
  table.title = kSqlTable.title;
  for (std::size_t i = 0; i < rows.names().size(); ++i) add_column(rows, i, table);
  if (end.value().more) table.notes.emplace_back(msg::first_100_000_rows);
  bool leads = false;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    table.links.push_back(link_of(rows, row, *model));
    leads = leads || table.links.back().kind() != RowLink::Kind::none;
  }
  if (!leads) table.links.clear();
  return table;
}

}  // namespace kino
