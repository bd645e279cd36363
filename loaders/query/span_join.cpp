#include "loaders/query/span_join.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/saturating.hpp"
#include "loaders/query/sql_text/sql_text.hpp"

namespace kino {
namespace {

enum class JoinKind : std::uint8_t { inner, left, outer, intersect };

constexpr std::size_t kMostSides = 6;
constexpr std::uint32_t kNoRow = 0xffffffffU;

/// A joined table.
struct Side {
  std::string source;  // name of a table, or a SELECT in parentheses
  std::vector<std::string> keys;
  std::vector<std::string> columns;
  int ts = -1;
  int dur = -1;
  int id = -1;
  std::vector<int> key_columns;
};

/// A time interval, with the row of each side; kNoRow if a side has none.
struct Piece {
  std::int64_t ts = 0;
  std::int64_t end = 0;
  std::uint32_t partition = 0;
  std::array<std::uint32_t, kMostSides> rows{};
};

/// A column of the result: time, a key, or a column of a side.
struct Place {
  enum class Of : std::uint8_t { ts, dur, key, side };
  Of of = Of::ts;
  std::size_t side = 0;
  int column = 0;
};

struct Join {
  sqlite3* database = nullptr;
  JoinKind kind{};
  std::string word;  // SPAN_JOIN etc., for error messages
  std::vector<Side> sides;
  std::vector<Place> places;
  std::string declaration;
};

struct FreeValue {
  void operator()(sqlite3_value* value) const { sqlite3_value_free(value); }
};
using Value = std::unique_ptr<sqlite3_value, FreeValue>;

/// Rows of a side, and its spans sorted by partition and time.
struct SideRows {
  std::vector<Value> values;  // row by row
  std::vector<Piece> pieces;
};

class JoinCursor : public IndexedCursor {
 public:
  JoinCursor(const Join& join, QueryClock& clock) : join_(join), clock_(clock), rows_(join.sides.size()) {}
  JoinCursor(const JoinCursor&) = delete;
  JoinCursor& operator=(const JoinCursor&) = delete;
  ~JoinCursor() override { clock_.hold(-held_); }

  bool begin(int, const char*, std::span<sqlite3_value* const>) override {
    row_index = 0;
    result_.clear();
    partitions_.clear();
    partition_keys_.clear();
    for (std::size_t side = 0; side < join_.sides.size(); ++side) {
      if (!read(side)) return false;
    }
    result_ = std::move(rows_[0].pieces);
    for (std::size_t side = 1; side < join_.sides.size(); ++side) {
      if (!combine(side)) return false;
    }
    return true;
  }
  bool at_end() const override { return row_index >= result_.size(); }

  void column(sqlite3_context* out, int column) override {
    const Piece& piece = result_[row_index];
    const Place& place = join_.places[static_cast<std::size_t>(column)];
    if (place.of == Place::Of::ts) return sqlite3_result_int64(out, piece.ts);
    if (place.of == Place::Of::dur)
      return sqlite3_result_int64(out, saturating_subtract(piece.end, piece.ts));
    if (place.of == Place::Of::key) {
      if (piece.partition == 0) return;
      const auto& [side, row] = partition_keys_[piece.partition - 1];
      const int key = join_.sides[side].key_columns[static_cast<std::size_t>(place.column)];
      return sqlite3_result_value(out, value_of(side, row, key));
    }
    if (piece.rows[place.side] != kNoRow)
      sqlite3_result_value(out, value_of(place.side, piece.rows[place.side], place.column));
  }

 private:
  bool fail(const std::string& what) {
    failure = join_.word + ": " + what;
    return false;
  }
  sqlite3_value* value_of(std::size_t side, std::uint32_t row, int column) const {
    return rows_[side]
        .values[row * join_.sides[side].columns.size() + static_cast<std::size_t>(column)]
        .get();
  }

  bool read(std::size_t number) {
    const Side& side = join_.sides[number];
    SideRows& rows = rows_[number];
    rows = {};
    sqlite3_stmt* made = nullptr;
    const std::string sql = "SELECT * FROM " + side.source;
    if (sqlite3_prepare_v2(join_.database, sql.c_str(), -1, &made, nullptr) != SQLITE_OK)
      return fail(sqlite3_errmsg(join_.database));
    const SqlStatement statement(made);
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(made)) == SQLITE_ROW) {
      if (!add_row(number, made)) return false;
    }
    if (code == SQLITE_INTERRUPT) return false;
    if (code != SQLITE_DONE) return fail(sqlite3_errmsg(join_.database));
    std::sort(rows.pieces.begin(), rows.pieces.end(), [](const Piece& a, const Piece& b) {
      return std::tie(a.partition, a.ts, a.end) < std::tie(b.partition, b.ts, b.end);
    });
    return find_overlap(number);
  }

  bool add_row(std::size_t number, sqlite3_stmt* statement) {
    const Side& side = join_.sides[number];
    SideRows& rows = rows_[number];
    Piece piece;
    piece.rows.fill(kNoRow);
    const auto row = static_cast<std::uint32_t>(rows.pieces.size());
    piece.rows[number] = row;
    piece.ts = sqlite3_column_int64(statement, side.ts);
    const std::int64_t dur = sqlite3_column_int64(statement, side.dur);
    if (sqlite3_column_type(statement, side.ts) != SQLITE_INTEGER) return true;
    if (dur < 0) return fail("a span of " + name_of(side) + " has a negative dur");
    piece.end = saturating_add(piece.ts, dur);
    std::string key;
    for (const int column : side.key_columns) {
      const int type = sqlite3_column_type(statement, column);
      if (type == SQLITE_NULL) return true;  // the row belongs to no partition
      if (type != SQLITE_INTEGER && join_.kind != JoinKind::intersect)
        return fail("a partition of " + name_of(side) + " is no integer");
      key += static_cast<char>('0' + type);
      const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      key.append(text == nullptr ? "" : text).append(1, '\0');
    }
    if (!side.key_columns.empty()) {
      const auto [found, fresh] =
          partitions_.try_emplace(key, static_cast<std::uint32_t>(partitions_.size() + 1));
      if (fresh) partition_keys_.emplace_back(number, row);
      piece.partition = found->second;
    }
    for (int column = 0; column < static_cast<int>(side.columns.size()); ++column)
      rows.values.emplace_back(sqlite3_value_dup(sqlite3_column_value(statement, column)));
    rows.pieces.push_back(piece);
    held_ += sizeof(Piece);
    clock_.hold(sizeof(Piece));
    return row % 4096 != 0 || !clock_.over();
  }

  static std::string name_of(const Side& side) { return side.source.substr(0, 100); }

  bool find_overlap(std::size_t number) {
    const std::vector<Piece>& pieces = rows_[number].pieces;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      if (pieces[i].partition != pieces[i - 1].partition || pieces[i].ts >= pieces[i - 1].end) continue;
      return fail("spans of " + name_of(join_.sides[number]) + " overlap: ts " +
                  std::to_string(pieces[i - 1].ts) + " dur " +
                  std::to_string(pieces[i - 1].end - pieces[i - 1].ts) + " and ts " +
                  std::to_string(pieces[i].ts));
    }
    return true;
  }

  /// Returns the pieces of a partition.
  static std::span<const Piece> of_partition(const std::vector<Piece>& pieces, std::uint32_t partition) {
    const auto before = [](const Piece& piece, std::uint32_t partition) {
      return piece.partition < partition;
    };
    const auto first = std::lower_bound(pieces.begin(), pieces.end(), partition, before);
    const auto last = std::lower_bound(first, pieces.end(), partition + 1, before);
    return {first, last};
  }

  bool combine(std::size_t number) {
    const std::vector<Piece> left = std::move(result_);
    const std::vector<Piece>& right = rows_[number].pieces;
    result_.clear();
    const bool by_left = !join_.sides[0].key_columns.empty();
    const bool by_right = !join_.sides[number].key_columns.empty();
    const auto count = static_cast<std::uint32_t>(partitions_.size());
    for (std::uint32_t partition = by_left || by_right ? 1 : 0; partition <= count; ++partition) {
      const std::size_t before = result_.size();
      if (!meet(of_partition(left, by_left ? partition : 0), of_partition(right, by_right ? partition : 0),
                number, by_left || by_right ? partition : 0))
        return false;
      if (join_.kind == JoinKind::outer) {
        std::stable_sort(result_.begin() + static_cast<std::ptrdiff_t>(before), result_.end(),
                         [](const Piece& a, const Piece& b) { return a.ts < b.ts; });
      }
      if (!by_left && !by_right) break;
    }
    return true;
  }

  bool give(std::int64_t ts, std::int64_t end, std::uint32_t partition, const Piece* left, const Piece* right,
            std::size_t number) {
    Piece piece;
    piece.rows.fill(kNoRow);
    if (left != nullptr) piece.rows = left->rows;
    piece.rows[number] = right == nullptr ? kNoRow : right->rows[number];
    piece.ts = ts;
    piece.end = end;
    piece.partition = partition;
    result_.push_back(piece);
    held_ += sizeof(Piece);
    clock_.hold(sizeof(Piece));
    return result_.size() % 4096 != 0 || !clock_.over();
  }

  /// Intersects a partition of both sides, each sorted by time and not overlapping itself.
  bool meet(std::span<const Piece> left, std::span<const Piece> right, std::size_t number,
            std::uint32_t partition) {
    const bool keeps_left = join_.kind == JoinKind::left || join_.kind == JoinKind::outer;
    // for each span of the right side: end of the part that is already in the result
    std::vector<std::int64_t> covered(join_.kind == JoinKind::outer ? right.size() : 0);
    for (std::size_t i = 0; i < covered.size(); ++i) covered[i] = right[i].ts;
    std::size_t first = 0;
    for (const Piece& a : left) {
      while (first < right.size() && right[first].end <= a.ts && right[first].ts < a.ts) ++first;
      std::int64_t done = a.ts;
      for (std::size_t i = first; i < right.size() && right[i].ts <= a.end; ++i) {
        const Piece& b = right[i];
        const std::int64_t from = std::max(a.ts, b.ts);
        const std::int64_t to = std::min(a.end, b.end);
        const bool moment = (a.ts == a.end && from >= b.ts && (from < b.end || b.ts == b.end)) ||
                            (b.ts == b.end && from >= a.ts && from < a.end);
        if (to < from || (to == from && !moment)) continue;
        if (keeps_left && from > done && !give(done, from, partition, &a, nullptr, number)) return false;
        if (!give(from, to, partition, &a, &b, number)) return false;
        if (!covered.empty()) {
          if (from > covered[i] && !give(covered[i], from, partition, nullptr, &b, number)) return false;
          covered[i] = std::max(covered[i], to);
        }
        done = std::max(done, to);
      }
      if (keeps_left && (done < a.end || (a.ts == a.end && done == a.ts && !met(a, right, first))) &&
          !give(done, a.end, partition, &a, nullptr, number))
        return false;
    }
    for (std::size_t i = 0; i < covered.size(); ++i) {
      if (covered[i] < right[i].end && !give(covered[i], right[i].end, partition, nullptr, &right[i], number))
        return false;
    }
    return true;
  }

  /// Returns whether a span of length 0 is within a span of the other side.
  static bool met(const Piece& a, std::span<const Piece> right, std::size_t first) {
    for (std::size_t i = first; i < right.size() && right[i].ts <= a.ts; ++i) {
      if (a.ts < right[i].end || right[i].ts == right[i].end) return true;
    }
    return false;
  }

  const Join& join_;
  QueryClock& clock_;
  std::vector<SideRows> rows_;
  std::map<std::string, std::uint32_t> partitions_;  // from 1
  // (side, row) in which a partition's key is stored
  std::vector<std::pair<std::size_t, std::uint32_t>> partition_keys_;
  std::vector<Piece> result_;
  std::int64_t held_ = 0;
};

class JoinTable : public SqlTable {
 public:
  JoinTable(Join join, QueryContext& context) : join_(std::move(join)), context_(context) {}
  std::string columns() const override { return join_.declaration; }
  int column_count() const override { return static_cast<int>(join_.places.size()); }
  bool of_one_file() const override { return false; }
  bool best_index(sqlite3_index_info& info) const override {
    info.estimatedCost = 1e6;
    info.estimatedRows = 100'000;
    return true;
  }
  std::unique_ptr<SqlCursor> open(const QueryModel&, std::uint32_t) const override {
    return std::make_unique<JoinCursor>(join_, *context_.clock);
  }

 private:
  Join join_;
  QueryContext& context_;
};

Error refused(const Join& join, const std::string& what) {
  return {Error::Kind::unknown_format, join.word + ": " + what};
}

/// Parses `a`, `a PARTITIONED k` or `(SELECT ..)`. If `keys_alone`, parses only keys: `k, ..`. Only names and
/// the text in parentheses are copied into the statement.
std::optional<Side> side_of(std::string_view argument, bool keys_alone) {
  const std::vector<SqlToken> tokens = sql_tokens(argument);
  SqlWords words(argument, tokens, {0, tokens.size()});
  Side side;
  if (!keys_alone) {
    const std::size_t begin = words.offset();
    if (words.text() == "(") {
      words.take_brackets();
      side.source = argument.substr(begin, (words.at_end() ? argument.size() : words.offset()) - begin);
    } else {
      const std::string_view name = words.take_name();
      if (name.empty() || name.find('"') != name.npos) return std::nullopt;
      side.source = "\"" + std::string(name) + "\"";
    }
  }
  if (words.at_end()) return side;
  if (!keys_alone && !words.take("PARTITIONED")) return std::nullopt;
  while (!words.at_end()) {
    side.keys.emplace_back(words.take_name());
    if (side.keys.back().empty() || (!words.at_end() && !words.take(","))) return std::nullopt;
  }
  return side;
}

bool same_name(const std::string& a, const std::string& b) {
  return sqlite3_stricmp(a.c_str(), b.c_str()) == 0;
}

/// Determines the columns of a side.
std::optional<Error> describe(Join& join, Side& side) {
  sqlite3_stmt* made = nullptr;
  const std::string sql = "SELECT * FROM " + side.source;
  if (sqlite3_prepare_v2(join.database, sql.c_str(), -1, &made, nullptr) != SQLITE_OK)
    return refused(join, sqlite3_errmsg(join.database));
  const SqlStatement statement(made);
  for (int i = 0; i < sqlite3_column_count(made); ++i) {
    side.columns.emplace_back(sqlite3_column_name(made, i));
    if (same_name(side.columns.back(), "ts")) side.ts = i;
    if (same_name(side.columns.back(), "dur")) side.dur = i;
    if (same_name(side.columns.back(), "id")) side.id = i;
  }
  if (side.ts < 0 || side.dur < 0)
    return refused(join, side.source.substr(0, 100) + " has no columns ts and dur");
  if (join.kind == JoinKind::intersect && side.id < 0)
    return refused(join, side.source.substr(0, 100) + " has no column id");
  for (const std::string& key : side.keys) {
    const auto found =
        std::ranges::find_if(side.columns, [&](const std::string& column) { return same_name(column, key); });
    if (found == side.columns.end())
      return refused(join, side.source.substr(0, 100) + " has no column " + key.substr(0, 100));
    side.key_columns.push_back(static_cast<int>(found - side.columns.begin()));
  }
  return std::nullopt;
}

void add_column(Join& join, std::vector<std::string>& taken, const std::string& name, Place place) {
  if (name.find('"') != std::string::npos ||
      std::ranges::any_of(taken, [&](const std::string& other) { return same_name(other, name); }))
    return;
  taken.push_back(name);
  join.declaration += (join.declaration.empty() ? "\"" : ", \"") + name + "\"";
  join.places.push_back(place);
}

/// Defines the columns of the result. If several columns have the same name, only the first is used.
void declare(Join& join) {
  std::vector<std::string> taken;
  add_column(join, taken, "ts", {Place::Of::ts, 0, 0});
  add_column(join, taken, "dur", {Place::Of::dur, 0, 0});
  for (std::size_t side = 0; side < join.sides.size(); ++side) {
    const Side& joined = join.sides[side];
    if (join.kind == JoinKind::intersect) {
      add_column(join, taken, "id_" + std::to_string(side), {Place::Of::side, side, joined.id});
      continue;
    }
    for (std::size_t key = 0; key < joined.keys.size(); ++key)
      add_column(join, taken, joined.keys[key], {Place::Of::key, 0, static_cast<int>(key)});
  }
  for (std::size_t key = 0; join.kind == JoinKind::intersect && key < join.sides[0].keys.size(); ++key)
    add_column(join, taken, join.sides[0].keys[key], {Place::Of::key, 0, static_cast<int>(key)});
  for (std::size_t side = 0; join.kind != JoinKind::intersect && side < join.sides.size(); ++side) {
    for (std::size_t column = 0; column < join.sides[side].columns.size(); ++column) {
      add_column(join, taken, join.sides[side].columns[column],
                 {Place::Of::side, side, static_cast<int>(column)});
    }
  }
}

Result<std::unique_ptr<SqlTable>> make_join(JoinKind kind, const char* word, sqlite3* database,
                                            std::span<const std::string_view> arguments,
                                            QueryContext& context) {
  Join join;
  join.database = database;
  join.kind = kind;
  join.word = word;
  std::vector<std::string> keys;
  bool in_keys = false;
  for (std::string_view argument : arguments) {
    constexpr std::string_view kPartitioned = "PARTITIONED ";
    if (kind == JoinKind::intersect && argument.starts_with(kPartitioned)) {
      in_keys = true;
      argument.remove_prefix(kPartitioned.size());
    }
    std::optional<Side> side = side_of(argument, in_keys);
    if (!side) return refused(join, "\"" + std::string(argument.substr(0, 100)) + "\" is not a table");
    if (in_keys) {
      keys.insert(keys.end(), side->keys.begin(), side->keys.end());
    } else {
      join.sides.push_back(std::move(*side));
    }
  }
  const bool intersect = kind == JoinKind::intersect;
  if (join.sides.size() < 2 || join.sides.size() > (intersect ? kMostSides : 2))
    return refused(join, intersect ? "two to six tables are needed" : "two tables are needed");
  for (Side& side : join.sides) {
    if (intersect) side.keys = keys;
    if (!intersect && side.keys.size() > 1)
      return refused(join, "only one column to partition by is allowed");
    if (std::optional<Error> error = describe(join, side)) return std::move(*error);
  }
  if (!intersect && join.sides[0].keys.size() == 1 && join.sides[1].keys.size() == 1 &&
      !same_name(join.sides[0].keys[0], join.sides[1].keys[0]))
    return refused(join, "both tables must be partitioned by columns of the same name");
  declare(join);
  return std::unique_ptr<SqlTable>(std::make_unique<JoinTable>(std::move(join), context));
}

}  // namespace

int register_span_joins(sqlite3* database, QueryContext& context) {
  constexpr std::pair<const char*, JoinKind> kWords[] = {{"SPAN_JOIN", JoinKind::inner},
                                                         {"SPAN_LEFT_JOIN", JoinKind::left},
                                                         {"SPAN_OUTER_JOIN", JoinKind::outer},
                                                         {"interval_intersect", JoinKind::intersect}};
  for (const auto& [word, kind] : kWords) {
    const int code = register_maker(
        database, word,
        [word = word, kind = kind, &context](sqlite3* opened, std::span<const std::string_view> arguments) {
          return make_join(kind, word, opened, arguments, context);
        },
        context);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace kino
