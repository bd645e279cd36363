#include "loaders/query/virtual_table.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <new>
#include <utility>

namespace kino {
namespace {

constexpr int kFilePlan = 1 << 30;  // of idxNum: the first value is the file's number

struct Registered {
  std::unique_ptr<SqlTable> table;  // or
  TableMaker make;
  QueryContext* context = nullptr;
};

struct Vtab {
  sqlite3_vtab base{};
  const SqlTable* table = nullptr;
  std::unique_ptr<SqlTable> own;  // that was made for it
  QueryContext* context = nullptr;
};

struct VtabCursor {
  sqlite3_vtab_cursor base{};
  const Vtab* of = nullptr;
  std::unique_ptr<SqlCursor> cursor;
  std::uint32_t file = 0xffffffffU;  // that the cursor is of
  bool empty = false;                // there is no such file
};

int fail(sqlite3_vtab* vtab, const std::string& what) {
  sqlite3_free(vtab->zErrMsg);
  vtab->zErrMsg = sqlite3_mprintf("%s", what.c_str());
  return SQLITE_ERROR;
}

/// Nothing may be thrown through SQLite.
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
    if (registered->make) {
      const std::vector<std::string_view> arguments(words + std::min(count, 3),
                                                    words + count);  // behind the names
      Result<std::unique_ptr<SqlTable>> made = registered->make(database, arguments);
      if (!made.ok()) {
        *problem = sqlite3_mprintf("%s", made.error().what.c_str());
        return SQLITE_ERROR;
      }
      vtab->own = std::move(made.value());
      vtab->table = vtab->own.get();
    }
    const std::string declaration = "CREATE TABLE x(" + vtab->table->columns() + ", file HIDDEN INTEGER)";
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

int best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  return guarded([&] {
    const SqlTable& table = *reinterpret_cast<Vtab*>(vtab)->table;
    if (!table.best_index(*info)) return SQLITE_CONSTRAINT;
    const int file_column = table.column_count();
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      if (constraint.iColumn != file_column || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      if (constraint.usable == 0) return SQLITE_CONSTRAINT;
      for (int k = 0; k < info->nConstraint; ++k) {
        if (info->aConstraintUsage[k].argvIndex > 0) ++info->aConstraintUsage[k].argvIndex;
      }
      info->aConstraintUsage[i].argvIndex = 1;
      info->aConstraintUsage[i].omit = 1;
      info->idxNum |= kFilePlan;
      break;
    }
    return SQLITE_OK;
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

int after(VtabCursor& cursor, bool done) {
  if (done) return SQLITE_OK;
  if (!cursor.cursor->failure.empty()) return fail(cursor.base.pVtab, cursor.cursor->failure);
  return SQLITE_INTERRUPT;
}

int filter(sqlite3_vtab_cursor* base, int plan, const char* text, int count, sqlite3_value** values) {
  return guarded([&] {
    VtabCursor& cursor = *reinterpret_cast<VtabCursor*>(base);
    std::span<sqlite3_value* const> rest(values, static_cast<std::size_t>(count));
    std::int64_t file = 1;
    if ((plan & kFilePlan) != 0) {
      file = sqlite3_value_int64(rest.front());
      rest = rest.subspan(1);
    }
    const auto& files = cursor.of->context->files;
    cursor.empty = file < 1 || static_cast<std::uint64_t>(file) > files.size();
    if (cursor.empty) return SQLITE_OK;
    const auto number = static_cast<std::uint32_t>(file - 1);
    if (cursor.cursor == nullptr || cursor.file != number) {
      cursor.cursor = cursor.of->table->open(*files[number], number + 1);
      cursor.file = number;
    }
    return after(cursor, cursor.cursor->begin(plan & ~kFilePlan, text, rest));
  });
}

int next(sqlite3_vtab_cursor* base) {
  return guarded([&] {
    VtabCursor& cursor = *reinterpret_cast<VtabCursor*>(base);
    return after(cursor, cursor.cursor->next());
  });
}

int eof(sqlite3_vtab_cursor* base) {
  const VtabCursor& cursor = *reinterpret_cast<VtabCursor*>(base);
  return cursor.empty || cursor.cursor->at_end() ? 1 : 0;
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* out, int number) {
  return guarded([&] {
    const VtabCursor& cursor = *reinterpret_cast<VtabCursor*>(base);
    if (number == cursor.of->table->column_count()) {
      sqlite3_result_int64(out, cursor.file + 1);
    } else {
      cursor.cursor->column(out, number);
    }
    return SQLITE_OK;
  });
}

int row_id(sqlite3_vtab_cursor* base, sqlite3_int64* out) {
  *out = reinterpret_cast<VtabCursor*>(base)->cursor->row_id();
  return SQLITE_OK;
}

/// With `created` for CREATE VIRTUAL TABLE; else a table is there by its name alone.
sqlite3_module table_module(bool created) {
  sqlite3_module it{};
  it.iVersion = 1;
  it.xCreate = created ? connect : nullptr;
  it.xConnect = connect;
  it.xBestIndex = best_index;
  it.xDisconnect = disconnect;
  it.xDestroy = created ? disconnect : nullptr;
  it.xOpen = open;
  it.xClose = close;
  it.xFilter = filter;
  it.xNext = next;
  it.xEof = eof;
  it.xColumn = column;
  it.xRowid = row_id;
  return it;
}

int register_as(sqlite3* database, const char* name, Registered registered, bool created) {
  static const sqlite3_module kTable = table_module(false);
  static const sqlite3_module kCreated = table_module(true);
  return sqlite3_create_module_v2(database, name, created ? &kCreated : &kTable,
                                  std::make_unique<Registered>(std::move(registered)).release(),
                                  [](void* it) { delete static_cast<Registered*>(it); });
}

}  // namespace

int register_table(sqlite3* database, const char* name, std::unique_ptr<SqlTable> table,
                   QueryContext& context) {
  return register_as(database, name, {std::move(table), {}, &context}, false);
}

int register_maker(sqlite3* database, const char* name, TableMaker maker, QueryContext& context) {
  return register_as(database, name, {nullptr, std::move(maker), &context}, true);
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
