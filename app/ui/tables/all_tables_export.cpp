#include "app/ui/tables/all_tables_export.hpp"

#include <numeric>
#include <optional>
#include <system_error>
#include <utility>

#include "app/system/atomic_file.hpp"
#include "app/system/file_downloads.hpp"
#include "app/system/window_talk.hpp"
#include "app/ui/text/table_text.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "loaders/bytes/zip_writer.hpp"

namespace kino {
namespace {

/// Returns all rows of the table as CSV, in the order of the table.
std::string whole_csv(const Table& table) {
  std::vector<std::uint32_t> rows(table.row_count());
  std::iota(rows.begin(), rows.end(), 0U);
  return table_csv(table, rows);
}

}  // namespace

AllTablesExport::Saved AllTablesExport::write(const std::filesystem::path& folder,
                                              const TableResults::Compute& compute,
                                              const std::vector<TableResultQuery>& tables,
                                              const std::stop_token& stop) {
  std::error_code code;
  std::filesystem::create_directory(folder, code);
  if (code) return {.folder = folder, .problem = Message(msg::folder_cannot_be_created, code.message())};
  Saved saved = write_files(
      [&folder](const std::string& name, std::string_view content) {
        return write_file_atomically(folder / name, content, Durability::process_crash);
      },
      compute, tables, stop);
  saved.folder = folder;
  return saved;
}

AllTablesExport::Saved AllTablesExport::write_zip(const std::filesystem::path& file,
                                                  const TableResults::Compute& compute,
                                                  const std::vector<TableResultQuery>& tables,
                                                  const std::stop_token& stop) {
  Result<ZipWriter> zip = ZipWriter::create(file);
  if (!zip) return {.folder = file, .problem = zip.error().what};
  Saved saved = write_files(
      [&zip](const std::string& name, std::string_view content) { return zip.value().add(name, content); },
      compute, tables, stop);
  saved.folder = file;
  if (!saved.problem.empty()) return saved;
  if (const auto error = zip.value().finish()) saved.problem = error->what;
  return saved;
}

AllTablesExport::Saved AllTablesExport::write_files(const AddFile& add, const TableResults::Compute& compute,
                                                    const std::vector<TableResultQuery>& tables,
                                                    const std::stop_token& stop) {
  Saved saved;
  for (const TableResultQuery& query : tables) {
    if (stop.stop_requested()) break;
    const Result<Table> made = compute(query, stop);
    if (!made.ok() || made.value().row_count() == 0) {
      ++saved.left_out;
      continue;
    }
    if (const auto error = add(std::string(query.kind->name) + ".csv", whole_csv(made.value()))) {
      saved.problem = error->what;
      break;
    }
    ++saved.written;
  }
  return saved;
}

void AllTablesExport::save(TableResults::Compute compute, std::vector<TableResultQuery> tables) {
  if (!compute || running()) return;
  const bool zipped = file_downloads() != nullptr;  // a browser downloads files, not folders
  request_save_path(
      suggested_name(file_, ".tables", zipped ? ".zip" : ""), asker_,
      [this, zipped, compute = std::move(compute),
       tables = std::move(tables)](const std::filesystem::path& chosen) {
        if (running()) return;
        std::error_code code;
        const std::string name = escaped(chosen.filename().string());
        if (std::filesystem::exists(chosen, code))
          return show_toast(filled(Text::tables_need_new_folder, {name}), true);
        show_toast(filled(Text::trim_running, {name}), false);
        saved_.start(pool_, wake_, [zipped, chosen, compute, tables](const std::stop_token& stop) {
          return zipped ? write_zip(chosen, compute, tables, stop) : write(chosen, compute, tables, stop);
        });
      });
  wake_();
}

void AllTablesExport::update() {
  const Saved* const saved = saved_.poll();
  if (saved == nullptr && !saved_.failed()) return;
  if (saved == nullptr) {
    show_toast(filled(Text::table_not_saved, {tr(Text::not_enough_memory)}), true);
  } else if (!saved->problem.empty()) {
    show_toast(filled(Text::table_not_saved, {in_language(saved->problem)}), true);
  } else {
    const std::string folder = escaped(report_saved(saved->folder));
    show_toast(saved->left_out == 0 ? filled(Text::tables_saved, {grouped(saved->written), folder})
                                    : filled(Text::tables_saved_some,
                                             {grouped(saved->written), grouped(saved->left_out), folder}),
               false);
  }
  saved_.reset();
}

}  // namespace kino
