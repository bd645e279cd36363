// Writes results as tables of a new SQLite file, which tools such as sqlite3 and datasette can open.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <sqlite3.h>

#include "loaders/query/query_session.hpp"

namespace kino {

/// Writes one table after the other. The file has a temporary name until it is complete.
class SqliteWriter : public QueryRows {
 public:
  /// Creates the file; fails if that is not possible.
  static Result<std::unique_ptr<SqliteWriter>> create(const std::filesystem::path& path);
  ~SqliteWriter() override;

  /// Selects the table for the following columns and rows.
  void begin_table(const std::string& name) { table_ = name; }
  void columns(std::span<const std::string> names) override;
  void row(std::span<const QueryValue> values) override;
  /// Runs trusted statements of this program, for example to create indexes and views.
  void run(const std::string& sql);
  std::optional<Error> finish();

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  struct FinalizeRow {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };

  SqliteWriter(std::filesystem::path path, std::filesystem::path temporary)
      : path_(std::move(path)), temporary_(std::move(temporary)) {}
  void check(int code);

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::string table_;
  std::unique_ptr<sqlite3, Close> database_;
  std::unique_ptr<sqlite3_stmt, FinalizeRow> insert_;
  std::optional<Error> error_;  // the first one
};

}  // namespace kino
