// Ranks of events by a key, for sorting and grouping them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "loaders/query/model/query_model.hpp"

namespace kino {

/// Ranks of events by one key. Valid as long as the model exists.
class EventRanks {
 public:
  /// Computes the ranks; nullopt if stopped, or for EventKey::none. O(texts log texts); O(n) for tracks and
  /// depths.
  static std::optional<EventRanks> of(const QueryModel& model, EventOrder order, const std::stop_token& stop);

  /// Returns the event's rank, which is below count(). Texts are ranked alphabetically, an absent text first.
  /// If the order is descending, ranks are reversed.
  std::uint32_t operator()(EventNumber event) const {
    const std::uint32_t rank = rising(event);
    return descending_ ? static_cast<std::uint32_t>(count_) - 1 - rank : rank;
  }
  std::size_t count() const { return count_; }

 private:
  EventRanks(const QueryModel& model, EventOrder order)
      : model_(&model), key_(order.key), descending_(order.descending) {}

  std::uint32_t rising(EventNumber event) const {
    switch (key_) {
      case EventKey::name:
        return ranks_[index_of(model_->name(event))];
      case EventKey::category:
        return ranks_[index_of(model_->category(event))];
      case EventKey::name_id:
        return index_of(model_->name(event));
      case EventKey::kind:
        return model_->is_slice(event) ? ranks_[index_of(model_->trace().slices.kind[event])] + 1 : 0;
      default:
        return (*column_)[event];
    }
  }

  const QueryModel* model_;
  EventKey key_;
  bool descending_;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> ranks_;               // by id of the text
  const Column<std::uint32_t>* column_ = nullptr;  // points to a column of Nesting
};

}  // namespace kino
