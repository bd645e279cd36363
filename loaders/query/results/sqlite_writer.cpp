#include "loaders/query/results/sqlite_writer.hpp"

#include <system_error>

#include "core/base/platform/process_limits.hpp"
#include "loaders/query/sql_text/sql_text.hpp"

namespace kino {

Result<std::unique_ptr<SqliteWriter>> SqliteWriter::create(const std::filesystem::path& path) {
  std::filesystem::path temporary = path;
  temporary += ".part-" + std::to_string(process_id());
  std::unique_ptr<SqliteWriter> writer(new SqliteWriter(path, temporary));
  sqlite3* made = nullptr;
  const int code = sqlite3_open_v2(
      temporary.c_str(), &made, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE, nullptr);
  writer->database_.reset(made);
  if (code != SQLITE_OK) return Error{Error::Kind::no_permission, "The file cannot be written"};
  // Turns off crash safety: an incomplete file is deleted anyway.
  writer->run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  if (writer->error_) return *writer->error_;
  return writer;
}

SqliteWriter::~SqliteWriter() {
  insert_.reset();
  database_.reset();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void SqliteWriter::check(int code) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW || error_) return;
  error_ = Error{code == SQLITE_FULL ? Error::Kind::no_space : Error::Kind::system,
                 std::string("The file cannot be written: ") + sqlite3_errmsg(database_.get())};
}

void SqliteWriter::run(const std::string& sql) {
  check(sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

void SqliteWriter::columns(std::span<const std::string> names) {
  std::string list;
  std::string marks;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + sql_identifier(name);
    marks += marks.empty() ? "?" : ", ?";
  }
  run("CREATE TABLE " + sql_identifier(table_) + " (" + list + ")");
  sqlite3_stmt* made = nullptr;
  const std::string insert = "INSERT INTO " + sql_identifier(table_) + " VALUES (" + marks + ")";
  check(sqlite3_prepare_v2(database_.get(), insert.c_str(), -1, &made, nullptr));
  insert_.reset(made);
}

void SqliteWriter::row(std::span<const QueryValue> values) {
  if (error_ || insert_ == nullptr) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int place = static_cast<int>(i) + 1;
    if (const auto* const whole = std::get_if<std::int64_t>(&values[i])) {
      sqlite3_bind_int64(insert_.get(), place, *whole);
    } else if (const auto* const number = std::get_if<double>(&values[i])) {
      sqlite3_bind_double(insert_.get(), place, *number);
    } else if (const auto* const text = std::get_if<std::string_view>(&values[i])) {
      sqlite3_bind_text64(insert_.get(), place, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
    } else {
      sqlite3_bind_null(insert_.get(), place);
    }
  }
  check(sqlite3_step(insert_.get()));
  sqlite3_reset(insert_.get());
}

std::optional<Error> SqliteWriter::finish() {
  insert_.reset();
  if (!error_) run("COMMIT");
  database_.reset();
  if (error_) return error_;
  std::error_code failed;
  std::filesystem::rename(temporary_, path_, failed);
  if (failed) return Error{Error::Kind::no_permission, "The file cannot be renamed: " + failed.message()};
  return std::nullopt;
}

}  // namespace kino
