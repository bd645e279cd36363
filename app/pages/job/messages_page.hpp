// The drawer page with the messages between ranks: a matrix of senders and receivers, the pairs, and the
// chunks of a pipeline.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/pages/job/job_state.hpp"
#include "app/pages/job/pipeline_chart.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "core/base/worker_pool.hpp"
#include "core/job/tables/message_channels.hpp"
#include "core/job/tables/pipelines.hpp"
#include "render/pixel_texture.hpp"

namespace kino {

/// Figure that the colors of the matrix show.
enum class MessageFigure : std::uint8_t { waiting, messages, bytes, bandwidth };
inline constexpr int kMessageFigureCount = static_cast<int>(MessageFigure::bandwidth) + 1;

class MessagesPage final : public DrawerPage {
 public:
  static constexpr std::string_view kId = "messages";

  /// `state` and `pool` must outlive the page.
  MessagesPage(JobState& state, WorkerPool& pool, std::function<void()> wake)
      : state_(state), pool_(pool), wake_(std::move(wake)) {}

  std::string_view id() const override { return kId; }
  const char* title() const override;
  bool offered() const override;
  std::string note() const override;
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  bool complete() const override { return !computed_.running(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  struct Sums {
    std::shared_ptr<const JobAnalysis> job;
    std::vector<MessageChannel> channels;  ///< most waiting first
    std::vector<Pipeline> pipelines;
  };
  /// Parameters of the picture in matrix_.
  struct Painted {
    const Sums* sums = nullptr;
    MessageFigure figure = MessageFigure::waiting;
    int side = 0;
    bool dark = false;
    bool operator==(const Painted&) const = default;
  };

  void draw_figures(const DrawContext& look);
  void draw_matrix(float side, const DrawContext& look);
  void paint(int side, const DrawContext& look);
  void draw_matrix_card(const Box& box, const DrawContext& look);
  void draw_pairs(ImVec2 size, const DrawContext& look);
  void follow(const MessageChannel& channel);
  /// Returns the index of a rank number in `ranks_`.
  std::optional<std::size_t> place_of(std::int64_t rank) const;

  JobState& state_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<std::shared_ptr<const Sums>> computed_;
  std::shared_ptr<const JobAnalysis> asked_;
  std::shared_ptr<const Sums> sums_;
  std::vector<std::int64_t> ranks_;  // ranks that send or receive, ascending
  MessageFigure figure_ = MessageFigure::waiting;
  PixelTexture matrix_;
  Painted painted_;
  PipelineChart chart_;
};

}  // namespace kino
