#include "app/ui/tables/all_tables_export.hpp"

#include <numeric>
#include <optional>
#include <system_error>
#include <utility>

#include "app/system/atomic_file.hpp"
#include "app/system/window_talk.hpp"
#include "app/ui/text/table_text.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

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
  Saved saved;
  saved.folder = folder;
  std::error_code code;
  std::filesystem::create_directory(folder, code);
  if (code) {
    saved.problem = Message(msg::folder_cannot_be_created, code.message());
    return saved;
  }
  for (const TableResultQuery& query : tables) {
    if (stop.stop_requested()) break;
    const Result<Table> made = compute(query, stop);
    if (!made.ok() || made.value().row_count() == 0) {
      ++saved.left_out;
      continue;
    }
    const std::filesystem::path path = folder / (std::string(query.kind->name) + ".csv");
    if (const auto error = write_file_atomically(path, whole_csv(made.value()), Durability::process_crash)) {
      saved.problem = error->what;
      break;
    }
    ++saved.written;
  }
  return saved;
}

void AllTablesExport::save(TableResults::Compute compute, std::vector<TableResultQuery> tables) {
  if (!compute || running()) return;
  request_save_path(
      suggested_name(file_, ".tables", ""), asker_,
      [this, compute = std::move(compute), tables = std::move(tables)](const std::filesystem::path& chosen) {
        if (running()) return;
        std::error_code code;
        const std::string name = escaped(chosen.filename().string());
        if (std::filesystem::exists(chosen, code))
          return show_toast(filled(Text::tables_need_new_folder, {name}), true);
        show_toast(filled(Text::trim_running, {name}), false);
        saved_.start(pool_, wake_, [chosen, compute, tables](const std::stop_token& stop) {
          return write(chosen, compute, tables, stop);
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
    const std::string folder = escaped(saved->folder.string());
    show_toast(saved->left_out == 0 ? filled(Text::tables_saved, {grouped(saved->written), folder})
                                    : filled(Text::tables_saved_some,
                                             {grouped(saved->written), grouped(saved->left_out), folder}),
               false);
  }
  saved_.reset();
}

}  // namespace kino
