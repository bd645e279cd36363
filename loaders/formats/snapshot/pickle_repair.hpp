// Closes the open containers of a broken pickle, so that the preceding values can be shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/damage.hpp"
#include "loaders/formats/snapshot/plain_tree.hpp"

namespace kino {

/// Stacks of a pickle that ends at `at`, before its STOP. `Into` is a target of read_pickle().
template <class Into>
class OpenContainers {
 public:
  OpenContainers(Into& into, std::vector<PlainValue>& stack, std::vector<std::size_t>& marks,
                 std::uint64_t at)
      : into_(into), stack_(stack), marks_(marks), at_(at) {}

  /// Closes open containers as if their end followed. Drops incomplete dicts for which
  /// is_useless_incomplete() is true.
  void close() {
    while (!marks_.empty()) {
      const std::size_t begin = marks_.back();
      marks_.pop_back();
      if (begin == (marks_.empty() ? 0 : marks_.back())) {
        stack_.resize(begin);
        continue;
      }
      const PlainValue container = stack_[begin - 1];
      bool cut = false;
      if (into_.is_list(container)) {
        into_.append(container, std::span<const PlainValue>(stack_).subspan(begin));
      } else if (into_.is_dict(container)) {
        fold_last_value(begin);
        const auto items = std::span<const PlainValue>(stack_).subspan(begin);
        const auto pairs = items.first(items.size() / 2 * 2);
        cut = into_.is_useless_incomplete(pairs);
        if (!cut) into_.set_items(container, pairs);
      }
      stack_.resize(cut ? begin - 1 : begin);
      if (cut) into_.damage().add(DamageReason::truncated_event, at_, {});
    }
    fold(0);
  }

 private:
  /// Handles a list with a single item, to which Python appends the item without a mark. The stack then ends
  /// with the list's key, the list and the item. The item is recognized because it is not a text, although a
  /// key is expected at its place.
  void fold_last_value(std::size_t begin) {
    for (std::size_t key = begin + 2; key < stack_.size(); key += 2) {
      if (stack_[key].tag() == PlainValue::Tag::text) continue;
      fold(key - 1);
      return;
    }
  }

  /// Adds each value to the container that precedes it on the stack, from the end down to `first`.
  void fold(std::size_t first) {
    while (stack_.size() > first + 1) {
      const PlainValue last = stack_.back();
      stack_.pop_back();
      if (into_.is_cut_row(last)) {
        into_.damage().add(DamageReason::truncated_event, at_, {});
      } else if (into_.is_list(stack_.back())) {
        into_.append(stack_.back(), {&last, 1});
      } else if (stack_.size() >= first + 2 && into_.is_dict(stack_[stack_.size() - 2])) {
        const PlainValue pair[2] = {stack_.back(), last};
        stack_.pop_back();
        into_.set_items(stack_.back(), pair);
      }
    }
  }

  Into& into_;
  std::vector<PlainValue>& stack_;
  std::vector<std::size_t>& marks_;  // sizes of stack_
  std::uint64_t at_ = 0;
};

}  // namespace kino
