// Saves several tables as CSV files in a new folder that the user chooses.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/system/background_result.hpp"
#include "app/ui/tables/table_results.hpp"
#include "core/base/result.hpp"
#include "core/base/worker_pool.hpp"

namespace kino {

/// Saves one set of tables at a time. UI thread only; tables are computed and written on the pool.
class AllTablesExport {
 public:
  /// `file` is the recording, beside which the folder is suggested. `pool` must outlive the object.
  AllTablesExport(std::filesystem::path file, WorkerPool& pool, std::function<void()> wake)
      : file_(std::move(file)), pool_(pool), wake_(std::move(wake)) {}

  /// Lets the user choose the path of a new folder, then writes one file per table into it:
  /// "<name of the table>.csv". Tables without data are left out. If the window is in a browser, downloads a
  /// ZIP archive of these files. Does nothing while tables are being saved.
  void save(TableResults::Compute compute, std::vector<TableResultQuery> tables);
  /// Called once per frame: shows the result as a toast.
  void update();
  bool running() const { return saved_.running(); }

 private:
  struct Saved {
    std::filesystem::path folder = {};  // or the archive
    std::size_t written = 0;
    std::size_t left_out = 0;
    Message problem = {};  // reason why no more tables were written; empty if there is none
  };

  /// Adds a file to the folder or the archive.
  using AddFile = std::function<std::optional<Error>(const std::string& name, std::string_view content)>;

  static Saved write(const std::filesystem::path& folder, const TableResults::Compute& compute,
                     const std::vector<TableResultQuery>& tables, const std::stop_token& stop);
  static Saved write_zip(const std::filesystem::path& file, const TableResults::Compute& compute,
                         const std::vector<TableResultQuery>& tables, const std::stop_token& stop);
  static Saved write_files(const AddFile& add, const TableResults::Compute& compute,
                           const std::vector<TableResultQuery>& tables, const std::stop_token& stop);

  std::filesystem::path file_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<Saved> saved_;
  std::shared_ptr<const bool> asker_ = std::make_shared<const bool>(true);  // expires with this object
};

}  // namespace kino
