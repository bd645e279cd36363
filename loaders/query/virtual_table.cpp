#include "loaders/query/virtual_table.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <new>
#include <utility>

#include "core/base/parallel.hpp"
#include "loaders/query/sql_text/plan_warnings.hpp"

namespace kino {
namespace {

// Bits of idxNum, in addition to the table's own plan.
constexpr int kFilePlan = 1 << 30;      // the first value is a file number
constexpr int kRankPlan = 1 << 29;      // the first value is a rank
constexpr int kAllFilesPlan = 1 << 28;  // all files
constexpr int kOwnPlan = kAllFilesPlan - 1;
constexpr int kFileBits = 44;  // number of low bits for a row's id; the file is above them

struct Registered {
  std::unique_ptr<SqlTable> table;  // set for a plain table
  TableMaker make;
  QueryContext* context = nullptr;
};

struct Vtab {
  sqlite3_vtab base{};
  const SqlTable* table = nullptr;
  std::unique_ptr<SqlTable> own;  // set if created by a TableMaker
  QueryContext* context = nullptr;
  int own_columns = 0;   // the column `file` follows
  int rank_column = -1;  // -1: rows belong to no single file
  std::string name;
};

struct VtabCursor {
  sqlite3_vtab_cursor base{};
  const Vtab* of = nullptr;
  std::vector<std::unique_ptr<SqlCursor>> cursors;  // by file; null: not used yet
  std::vector<std::uint32_t> files;                 // files to walk, one after the other
  std::size_t at = 0;                               // index into `files`; at the end, their number
  SqlCursor* now = nullptr;                         // cursor of files[at]; null at the end
  bool adds_up = false;                             // each row represents several rows
  // number of rows that the single row of a counting statement represents
  std::int64_t counted = 0;

  std::uint32_t file() const { return files[at]; }
  /// Skips files that have no further rows.
  void settle() {
    while (at < files.size() && cursors[file()]->at_end()) ++at;
    now = at < files.size() ? cursors[file()].get() : nullptr;
    weigh();
  }
  void weigh() const {
    if (adds_up && now != nullptr) of->context->represented_rows = now->rows_here();
  }
};

/// Returns the index of the column `rank` in the columns of a CREATE TABLE; -1 if there is none.
int rank_among(std::string_view columns) {
  for (int number = 0; !columns.empty(); ++number) {
    const std::size_t comma = columns.find(',');
    std::string_view column = columns.substr(0, comma);
    column.remove_prefix(std::min(column.find_first_not_of(' '), column.size()));
    if (column.substr(0, column.find(' ')) == "rank") return number;
    columns = comma == columns.npos ? std::string_view() : columns.substr(comma + 1);
  }
  return -1;
}

int fail(sqlite3_vtab* vtab, const std::string& what) {
  sqlite3_free(vtab->zErrMsg);
  vtab->zErrMsg = sqlite3_mprintf("%s", what.c_str());
  return SQLITE_ERROR;
}

/// Runs `body`, and converts its exceptions to result codes: they must not pass through SQLite.
template <class Body>
int guarded(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception&) {
    return SQLITE_ERROR;
  }
}

int connect(sqlite3* database, void* aux, int count, const char* const* words, sqlite3_vtab** out,
            char** problem) {
  return guarded([&] {
    const auto* const registered = static_cast<const Registered*>(aux);
    auto vtab = std::make_unique<Vtab>();
    vtab->context = registered->context;
    vtab->table = registered->table.get();
    if (count > 0) vtab->name = words[0];
    if (registered->make) {
      const std::vector<std::string_view> arguments(words + std::min(count, 3),
                                                    words + count);  // after the names
      Result<std::unique_ptr<SqlTable>> made = registered->make(database, arguments);
      if (!made.ok()) {
        *problem = sqlite3_mprintf("%s", made.error().what.str().c_str());
        return SQLITE_ERROR;
      }
      vtab->own = std::move(made.value());
      vtab->table = vtab->own.get();
    }
    const std::string columns = vtab->table->columns();
    vtab->own_columns = vtab->table->column_count();
    std::string declaration = "CREATE TABLE x(" + columns + ", file HIDDEN INTEGER";
    if (vtab->table->of_one_file()) {
      vtab->rank_column = rank_among(columns);
      if (vtab->rank_column < 0) {
        vtab->rank_column = vtab->own_columns + 1;
        declaration += ", rank HIDDEN INTEGER";
      }
    }
    declaration += ')';
    if (const int code = sqlite3_declare_vtab(database, declaration.c_str()); code != SQLITE_OK) {
      *problem = sqlite3_mprintf("%s", sqlite3_errmsg(database));
      return code;
    }
    sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
    *out = &vtab.release()->base;
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* vtab) {
  delete reinterpret_cast<Vtab*>(vtab);
  return SQLITE_OK;
}

/// Passes the value of a constraint to the cursor as first argument, before those that the table chose.
void put_first(sqlite3_index_info& info, int constraint) {
  for (int k = 0; k < info.nConstraint; ++k) {
    if (info.aConstraintUsage[k].argvIndex > 0) ++info.aConstraintUsage[k].argvIndex;
  }
  info.aConstraintUsage[constraint].argvIndex = 1;
  info.aConstraintUsage[constraint].omit = 1;
}

bool uses_column(const sqlite3_index_info& info, int column) {
  constexpr int kLastBit = 63;  // represents column 63 and all later columns
  if ((info.colUsed >> static_cast<unsigned>(std::min(column, kLastBit)) & 1U) != 0) return true;
  return std::any_of(info.aConstraint, info.aConstraint + info.nConstraint,
                     [&](const auto& constraint) { return constraint.iColumn == column; });
}

/// Prefixes the plan's text with the table's name and the number of rows of a search.
int mark_plan(const Vtab& vtab, std::size_t files, sqlite3_index_info& info) {
  const auto times = static_cast<std::int64_t>(files);
  const std::int64_t rows =
      std::min(vtab.table->rows_of_plan(info), INT64_MAX / std::max<std::int64_t>(times, 1)) * times;
  const std::string mark = plan_mark(vtab.name, rows);
  char* const marked = sqlite3_mprintf("%s%s", mark.c_str(), info.idxStr == nullptr ? "" : info.idxStr);
  if (info.needToFreeIdxStr != 0) sqlite3_free(info.idxStr);
  info.idxStr = marked;
  info.needToFreeIdxStr = 1;
  return marked == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int best_index(sqlite3_vtab* base, sqlite3_index_info* info) {
  return guarded([&] {
    const Vtab& vtab = *reinterpret_cast<Vtab*>(base);
    if (!vtab.table->best_index(*info)) return SQLITE_CONSTRAINT;
    const auto equal_to = [&](int column) {
      for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        if (constraint.iColumn == column && constraint.op == SQLITE_INDEX_CONSTRAINT_EQ) return i;
      }
      return -1;
    };
    if (const int file = equal_to(vtab.own_columns); file >= 0) {
      if (info->aConstraint[file].usable == 0) return SQLITE_CONSTRAINT;
      put_first(*info, file);
      info->idxNum |= kFilePlan;
      return mark_plan(vtab, 1, *info);
    }
    if (vtab.rank_column < 0 || !uses_column(*info, vtab.rank_column)) return mark_plan(vtab, 1, *info);
    // Order and uniqueness do not hold across several files: each file has a separate order and separate ids.
    info->orderByConsumed = 0;
    info->idxFlags &= ~SQLITE_INDEX_SCAN_UNIQUE;
    const int rank = equal_to(vtab.rank_column);
    if (rank >= 0 && info->aConstraint[rank].usable != 0) {
      put_first(*info, rank);
      info->idxNum |= kRankPlan;
      return mark_plan(vtab, 1, *info);
    }
    const std::size_t files = vtab.context->files.size();
    const int code = mark_plan(vtab, files, *info);
    info->idxNum |= kAllFilesPlan;
    info->estimatedRows *= static_cast<sqlite3_int64>(files);
    info->estimatedCost *= static_cast<double>(files);
    return code;
  });
}

int open(sqlite3_vtab* vtab, sqlite3_vtab_cursor** out) {
  return guarded([&] {
    auto cursor = std::make_unique<VtabCursor>();
    cursor->of = reinterpret_cast<Vtab*>(vtab);
    *out = &cursor.release()->base;
    return SQLITE_OK;
  });
}

int close(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<VtabCursor*>(cursor);
  return SQLITE_OK;
}

int after(const VtabCursor& cursor, const SqlCursor& source, bool done) {
  if (done) return SQLITE_OK;
  return source.failure.empty() ? SQLITE_INTERRUPT : fail(cursor.base.pVtab, source.failure);
}

/// Returns an integer in any notation; -1 for any other value.
std::int64_t whole_number(sqlite3_value* value) {
  const int type = sqlite3_value_numeric_type(value);
  const std::int64_t number = sqlite3_value_int64(value);
  const bool whole = type == SQLITE_INTEGER ||
                     (type == SQLITE_FLOAT && static_cast<double>(number) == sqlite3_value_double(value));
  return whole ? number : -1;
}

std::vector<std::uint32_t> files_of(const QueryContext& context, int plan, sqlite3_value* const* values) {
  std::vector<std::uint32_t> files;
  const std::int64_t wanted = (plan & (kFilePlan | kRankPlan)) != 0 ? whole_number(values[0]) : 1;
  for (std::uint32_t file = 0; file < context.files.size(); ++file) {
    if ((plan & kRankPlan) != 0 ? wanted >= 0 && context.files[file]->rank() == wanted
                                : (plan & kAllFilesPlan) != 0 || wanted == std::int64_t{file} + 1)
      files.push_back(file);
  }
  return files;
}

/// Adds the number of a cursor's rows to `counted`. Returns false like SqlCursor::next().
bool count_rows(SqlCursor& source, QueryClock& clock, std::int64_t& counted) {
  if (const std::optional<std::int64_t> rows = source.rows_left()) {
    counted += *rows;
    return true;
  }
  while (!source.at_end()) {
    if (++counted % kCancelStride == 0 && clock.over()) return false;
    if (!source.next()) return false;
  }
  return true;
}

int filter(sqlite3_vtab_cursor* base, int plan, const char* text, int count, sqlite3_value** values) {
  return guarded([&] {
    VtabCursor& cursor = *reinterpret_cast<VtabCursor*>(base);
    QueryContext& context = *cursor.of->context;
    const auto& files = context.files;
    cursor.files.clear();
    cursor.at = 0;
    cursor.now = nullptr;
    cursor.counted = 0;
    const RowSums* const sums = std::exchange(context.sums, nullptr);  // nested statements do not use it
    const bool counts = sums != nullptr && sums->reads.empty();
    cursor.adds_up = sums != nullptr && !counts;
    std::vector<std::uint32_t> walked = files_of(context, plan, values);
    std::span<sqlite3_value* const> rest(values, static_cast<std::size_t>(count));
    if ((plan & (kFilePlan | kRankPlan)) != 0) rest = rest.subspan(1);
    cursor.cursors.resize(files.size());
    // Starts all cursors now, because the values are valid only in this call.
    for (const std::uint32_t file : walked) {
      if (cursor.of->table->of_one_file()) context.read_files.insert(file + 1);
      std::unique_ptr<SqlCursor>& source = cursor.cursors[file];
      if (source == nullptr) source = cursor.of->table->open(*files[file], file + 1);
      source->sums = cursor.adds_up ? sums : nullptr;
      if (!source->begin(plan & kOwnPlan, after_plan_mark(text), rest)) return after(cursor, *source, false);
      if (counts && !count_rows(*source, *context.clock, cursor.counted))
        return after(cursor, *source, false);
    }
    if (counts) {
      context.represented_rows = cursor.counted;
      return SQLITE_OK;
    }
    cursor.files = std::move(walked);
    cursor.settle();
    return SQLITE_OK;
  });
}

int next(sqlite3_vtab_cursor* base) {
  return guarded([&] {
    VtabCursor& cursor = *reinterpret_cast<VtabCursor*>(base);
    if (std::exchange(cursor.counted, 0) > 0) return SQLITE_OK;
    SqlCursor& source = *cursor.now;
    if (!source.next()) return after(cursor, source, false);
    if (source.at_end()) {
      cursor.settle();
    } else {
      cursor.weigh();
    }
    return SQLITE_OK;
  });
}

int eof(sqlite3_vtab_cursor* base) {
  const VtabCursor& cursor = *reinterpret_cast<VtabCursor*>(base);
  return cursor.now == nullptr && cursor.counted == 0 ? 1 : 0;
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* out, int number) {
  return guarded([&] {
    const VtabCursor& cursor = *reinterpret_cast<VtabCursor*>(base);
    if (number == cursor.of->own_columns) {
      sqlite3_result_int64(out, cursor.file() + 1);
    } else if (number == cursor.of->rank_column) {
      const std::int64_t rank = cursor.of->context->files[cursor.file()]->rank();
      if (rank >= 0) sqlite3_result_int64(out, rank);
    } else {
      cursor.now->column(out, number);
    }
    return SQLITE_OK;
  });
}

/// Returns an id that is unique among all files, since SQLite skips ids that it has seen.
int row_id(sqlite3_vtab_cursor* base, sqlite3_int64* out) {
  const VtabCursor& cursor = *reinterpret_cast<VtabCursor*>(base);
  *out = cursor.now->row_id() ^ (std::int64_t{cursor.file()} << kFileBits);
  return SQLITE_OK;
}

/// Returns the functions of a table for SQLite. `created`: for CREATE VIRTUAL TABLE. Otherwise the table
/// exists under its module's name.
sqlite3_module table_module(bool created) {
  sqlite3_module module{};
  module.iVersion = 1;
  module.xCreate = created ? connect : nullptr;
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xDestroy = created ? disconnect : nullptr;
  module.xOpen = open;
  module.xClose = close;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = eof;
  module.xColumn = column;
  module.xRowid = row_id;
  return module;
}

int register_as(sqlite3* database, const char* name, Registered registered, bool created) {
  static const sqlite3_module kTable = table_module(false);
  static const sqlite3_module kCreated = table_module(true);
  return sqlite3_create_module_v2(database, name, created ? &kCreated : &kTable,
                                  std::make_unique<Registered>(std::move(registered)).release(),
                                  [](void* registered) { delete static_cast<Registered*>(registered); });
}

}  // namespace

int register_table(sqlite3* database, const char* name, std::unique_ptr<SqlTable> table,
                   QueryContext& context) {
  return register_as(database, name, {std::move(table), {}, &context}, false);
}

int register_maker(sqlite3* database, const char* name, TableMaker maker, QueryContext& context) {
  return register_as(database, name, {nullptr, std::move(maker), &context}, true);
}

EventNumber event_with_id(const QueryModel& model, sqlite3_value* value) {
  const std::int64_t id = sqlite3_value_int64(value);
  const bool exists =
      sqlite3_value_type(value) != SQLITE_NULL && id >= 0 && id < std::int64_t{model.event_count()};
  return exists ? static_cast<EventNumber>(id) : kNoEvent;
}

bool plan_search(sqlite3_index_info& info, int column, std::int64_t rows, double cost, bool exact) {
  for (int i = 0; i < info.nConstraint; ++i) {
    const auto& constraint = info.aConstraint[i];
    if (constraint.usable == 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ || constraint.iColumn != column)
      continue;
    info.aConstraintUsage[i].argvIndex = 1;
    info.aConstraintUsage[i].omit = exact ? 1 : 0;
    info.idxNum = 1;
    info.estimatedRows = rows;
    info.estimatedCost = cost;
    return true;
  }
  return false;
}

void give_number_or_text(sqlite3_context* out, std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && !text.empty()) {
    sqlite3_result_int64(out, number);
  } else {
    give_text(out, text);
  }
}

}  // namespace kino
