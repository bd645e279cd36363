// The drawer page that queries a trace in SQL: an editor, examples, a history, and rows that link to slices.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/pages/query/sql_completion.hpp"
#include "app/pages/query/sql_error.hpp"
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

/// Reasons why the current query is slow, added by the worker and read by the page. Thread-safe.
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

  /// Shows the page and runs this query.
  void ask(const std::string& sql);

  std::string_view id() const override { return drawer_page::kSql; }
  const char* title() const override;
  std::string note() const override;
  std::optional<CommandId> command() const override { return CommandId::show_sql; }
  bool copies_rows() const override { return true; }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  bool wants_frames() const override { return tab_.wants_frames(); }
  bool complete() const override { return tab_.complete() && !names_.running(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  void begin_anew();
  void run(const std::string& sql);
  void draw_tools(const DrawContext& look);
  void draw_menus();
  void draw_named();
  void store_index_as(const NamedQuery& query);
  void draw_track_buttons();
  void draw_editor(ImVec2 size, const DrawContext& look);
  void draw_completion(const DrawContext& look) const;
  void draw_slow(const DrawContext& look) const;
  void find_mistake();
  void draw_problem(const DrawContext& look);
  void draw_mistake(const SqlMistake& mistake, const DrawContext& look);
  void draw_result(ImVec2 size, const DrawContext& look);
  static int edited(ImGuiInputTextCallbackData* data);
  void complete_word(ImGuiInputTextCallbackData* data);

  TimelineState& state_;
  TimelineRequests& page_requests_;
  const SliceStyle& look_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::shared_ptr<const EventDetails> details_;
  std::string file_;
  std::shared_ptr<const QueryModel> model_;  // created for the first query
  TableTab tab_;
  std::string text_;
  bool active_ = false;  // whether the editor was active in the previous frame
  std::shared_ptr<SlowReasons> slow_ = std::make_shared<SlowReasons>();  // reasons for the current query
  std::string asked_;                                                    // SQL of the last query, or empty
  bool shown_before_ = false;
  // id of the editor: ImGui keeps the text of an active editor, so a new text needs a new id
  int editor_ = 0;
  bool focus_ = false;                // whether to focus the editor in the next frame
  std::vector<std::string> history_;  // queries that were run, the newest last
  std::vector<NamedQuery> named_;     // saved queries when the menu was opened
  std::string name_;                  // name typed for the query
  std::size_t tracks_ = 0;            // number of result tracks added since the last time all were removed
  BackgroundResult<std::vector<SqlTableName>> names_;
  Completion completion_;                        // completion of the word at the cursor after the last edit
  std::shared_ptr<const TableResult> mistaken_;  // result to which mistake_ belongs
  std::optional<SqlMistake> mistake_;
  std::optional<ImVec2> nearest_place_;
  std::optional<std::string> replaced_;  // new text for the editor; empty: unchanged
  ImVec2 editor_place_;
  ImVec2 named_place_;
  ImVec2 track_place_;
};

}  // namespace kino
