// Covers: all_tables_export
// Several tables are saved as files of a new folder.
#include "app/ui/tables/all_tables_export.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/system/file_downloads.hpp"
#include "app/system/window_talk.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace kino;

namespace {

std::shared_ptr<const Trace> one_kernel() {
  return EventFixture().op("aten::mm", 10, 100).launch(20, 10, 1).kernel("gemm", 50, 200, 1).build();
}

TableResultQuery query_for(std::string_view name) {
  TableResultQuery query;
  query.kind = kind_named(table_kinds(), name);
  return query;
}

/// Receives downloads, as for a window in a browser.
class CollectedDownloads final : public FileDownloads {
 public:
  CollectedDownloads() { set_file_downloads(this); }
  CollectedDownloads(const CollectedDownloads&) = delete;
  CollectedDownloads& operator=(const CollectedDownloads&) = delete;
  ~CollectedDownloads() override { set_file_downloads(nullptr); }
  std::filesystem::path path_for(const std::string& name) override { return name; }
  void add(const std::filesystem::path& path) override { added_.push_back(path); }
  void add_picture(const std::string& /*name*/, const PictureArea& /*area*/) override {}
  const std::vector<std::filesystem::path>& added() const { return added_; }

 private:
  std::vector<std::filesystem::path> added_;
};

}  // namespace

TEST_CASE("tables with rows become files of a new folder, and the toast names the folder") {
  const kino_test::TemporaryFolder folder;
  WorkerPool pool(1);
  AllTablesExport saved(folder.path() / "trace.json", pool, [] {});
  saved.save(tables_of(analyses_of(one_kernel())), {query_for("kernels"), query_for("collectives")});
  const auto request = take_save_request();
  REQUIRE(request.has_value());
  CHECK(request->suggested == folder.path() / "trace.json.tables");
  request->chosen(request->suggested);
  REQUIRE(kino_test::eventually([&] {
    saved.update();
    return !saved.running();
  }));
  std::ifstream file(request->suggested / "kernels.csv");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CHECK(text.find("gemm") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(request->suggested / "collectives.csv"));
  const auto told = take_toast();
  REQUIRE(told.has_value());
  CHECK_FALSE(told->problem);
  CHECK(told->sentence.find(request->suggested.string()) != std::string::npos);
}

TEST_CASE("an existing folder is not written to") {
  const kino_test::TemporaryFolder folder;
  WorkerPool pool(1);
  AllTablesExport saved(folder.path() / "trace.json", pool, [] {});
  saved.save(tables_of(analyses_of(one_kernel())), {query_for("kernels")});
  const auto request = take_save_request();
  REQUIRE(request.has_value());
  request->chosen(folder.path());
  CHECK_FALSE(saved.running());
  CHECK(take_toast()->problem);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a browser downloads the tables as one archive, and the toast has no path") {
  const kino_test::TemporaryFolder folder;
  WorkerPool pool(1);
  const CollectedDownloads downloads;
  AllTablesExport saved(folder.path() / "trace.json", pool, [] {});
  saved.save(tables_of(analyses_of(one_kernel())), {query_for("kernels"), query_for("collectives")});
  const auto request = take_save_request();
  REQUIRE(request.has_value());
  CHECK(request->suggested == folder.path() / "trace.json.tables.zip");
  request->chosen(request->suggested);
  REQUIRE(kino_test::eventually([&] {
    saved.update();
    return !saved.running();
  }));
  CHECK(downloads.added() == std::vector{request->suggested});
  CHECK(std::filesystem::is_regular_file(request->suggested));
  const auto told = take_toast();
  REQUIRE(told.has_value());
  CHECK_FALSE(told->problem);
  CHECK(told->sentence.find("trace.json.tables.zip") != std::string::npos);
  CHECK(told->sentence.find(folder.path().string()) == std::string::npos);
}
