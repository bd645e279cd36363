// Content of an inspector as data: sentences and commands that can be copied, and rows with figures.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include "app/ui/drawer/drawer_page.hpp"

namespace kino {

struct InspectorRow {
  std::string name;
  std::string amount = {};  ///< aligned to the right; may be empty
  bool link = false;        ///< whether the name can be clicked
};

/// Texts must be escaped. Empty parts are not drawn.
struct InspectorSection {
  std::string title = {};
  std::string text = {};  ///< sentences, wrapped, with a button that copies them
  std::string code = {};  ///< a shell command, wrapped, with a button that copies it
  std::vector<InspectorRow> rows = {};
};

struct InspectorContent {
  std::string title;
  std::vector<InspectorSection> sections;

  /// Returns all texts, commands and rows as lines, for the clipboard.
  std::string copied() const;
};

/// The row that was clicked.
struct InspectorClick {
  std::size_t section = 0;
  std::size_t row = 0;
};

/// Draws contents. UI thread only.
class InspectorSections {
 public:
  /// Draws into a child window of `size`.
  std::optional<InspectorClick> draw(const InspectorContent& content, ImVec2 size, const DrawContext& look);
  /// Adds the texts of the last frame, and the centers of links and copy buttons, for tests.
  void write_test_state(nlohmann::ordered_json& json) const;

 private:
  void draw_copied(const std::string& text, bool code, const DrawContext& look);
  bool draw_row(const InspectorRow& row, const DrawContext& look);

  InspectorContent last_;
  std::vector<std::pair<std::string, ImVec2>> places_;
};

}  // namespace kino
