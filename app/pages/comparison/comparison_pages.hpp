// Drawer pages of a comparison: tables of changes, and memory.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/pages/comparison/comparison_state.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/tables/table_tab.hpp"

namespace kino {

class ComparisonTablesPage final : public DrawerPage {
 public:
  /// `state` and `pool` must outlive the page. Exports are written beside `file`.
  ComparisonTablesPage(ComparisonState& state, const std::filesystem::path& file, WorkerPool& pool,
                       const std::function<void()>& wake);

  std::string_view id() const override { return drawer_page::kTables; }
  const char* title() const override;
  bool copies_rows() const override { return true; }
  std::vector<DrawerTab> tabs(bool shown) const override { return tab_.drawer_tabs(shown, id()); }
  void open_tab(std::string_view tab) override { tab_.open_drawer_tab(tab); }
  std::string_view open_tab() const override { return tab_.drawer_tab(); }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  bool wants_frames() const override { return tab_.wants_frames(); }
  bool complete() const override { return tab_.complete(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;
  void choose(std::string_view table) { tab_.choose(table); }

 private:
  void draw_rows(const DrawContext& look);

  ComparisonState& state_;
  std::shared_ptr<const ComparisonPicture> of_;
  bool refused_ = false;
  std::optional<std::uint32_t> selected_;  // the comparison's row that is selected in the table
  TableTab tab_;
};

/// The page with the allocated memory of both runs within their typical steps, and the peaks of both runs.
class RunMemoryPage final : public DrawerPage {
 public:
  static constexpr std::string_view kId = "run-memory";

  /// `state` must outlive the page.
  explicit RunMemoryPage(ComparisonState& state) : state_(state) {}

  std::string_view id() const override { return kId; }
  const char* title() const override;
  void draw(ImVec2 size, const DrawContext& look) override;
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  void draw_curves(ImVec2 size, const DrawContext& look);

  ComparisonState& state_;
};

}  // namespace kino
