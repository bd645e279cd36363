// The drawer's page that asks a trace in SQL: an editor, examples, a history, and rows that lead to slices.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/pages/query/sql_completion.hpp"
#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/shell/settings/named_queries.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "core/base/messages/message.hpp"
#include "core/trace/event_details.hpp"
#include "loaders/query/model/query_model.hpp"

struct ImGuiInputTextCallbackData;

namespace kino {

/// Why the query that runs takes long, as the worker tells it.
class SlowReasons {
 public:
  void add(const Message& sentence) {
    const std::lock_guard lock(mutex_);
    sentences_.push_back(sentence);
  }
  std::vector<Message> sentences() const {
    const std::lock_guard lock(mutex_);
    return sentences_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Message> sentences_;  // guarded by mutex_
};

class SqlPage final : public DrawerPage {
 public:
  SqlPage(const TimelineHost& host, std::shared_ptr<const EventDetails> details);

  /// Opens the drawer at the page, which asks this.
  void ask(const std::string& sql);

  std::string_view id() const override { return drawer_page::kSql; }
  const char* title() const override;
  std::string note() const override;
  std::optional<CommandId> command() const override { return CommandId::show_sql; }
  bool copies_rows() const override { return true; }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawerLook& look) override;
  bool wants_frames() const override { return tab_.wants_frames(); }
  bool complete() const override { return tab_.complete() && !names_.running(); }
  void tell(nlohmann::ordered_json& panel) const override;

 private:
  void begin_anew();
  void run(const std::string& sql);
  void draw_tools(const DrawerLook& look);
  void draw_menus();
  void draw_named();
  void keep_as(const NamedQuery& query);
  void draw_track_buttons();
  void draw_editor(ImVec2 size, const DrawerLook& look);
  void draw_completion(const DrawerLook& look) const;
  void draw_slow(const DrawerLook& look) const;
  void draw_result(ImVec2 size, const DrawerLook& look);
  static int edited(ImGuiInputTextCallbackData* data);
  void complete_word(ImGuiInputTextCallbackData* data);

  TimelineState& state_;
  TimelineAsks& asks_;
  const SliceLook& look_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::shared_ptr<const EventDetails> details_;
  std::string file_;
  std::shared_ptr<const QueryModel> model_;  // once the page was shown
  TableTab tab_;
  std::string text_;
  bool active_ = false;                                                  // it had it in the frame before
  std::shared_ptr<SlowReasons> slow_ = std::make_shared<SlowReasons>();  // of the run
  std::string asked_;                                                    // what runs, or has run last
  bool shown_before_ = false;
  int editor_ = 0;      // ImGui keeps the text of an editor that is active: another text is another editor
  bool focus_ = false;  // the editor gets the keyboard
  std::vector<std::string> history_;  // the newest last
  std::vector<NamedQuery> named_;     // as the file had them when the menu was opened
  std::string name_;                  // that is typed for the query
  std::size_t tracks_ = 0;            // that were asked for since they were removed
  BackgroundResult<std::vector<SqlTableName>> names_;
  Completion completion_;                // of the word at the cursor, as edited last
  std::optional<std::string> replaced_;  // what the editor is to have instead
  ImVec2 editor_place_;
  ImVec2 named_place_;
  ImVec2 track_place_;
};

}  // namespace kino
