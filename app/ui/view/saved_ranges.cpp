#include "app/ui/view/saved_ranges.hpp"

#include <algorithm>
#include <utility>

namespace kino {

const SavedRange* SavedRanges::find(char letter) const {
  const auto found = std::ranges::find(parts_, letter, &SavedRange::letter);
  return found == parts_.end() ? nullptr : &*found;
}

SavedRange* SavedRanges::mutable_part(char letter) {
  const auto found = std::ranges::find(parts_, letter, &SavedRange::letter);
  return found == parts_.end() ? nullptr : &*found;
}

void SavedRanges::set(char letter, TracePart part, std::string name) {
  std::erase_if(parts_, [&](const SavedRange& part) { return part.letter == letter; });
  if (parts_.size() >= kMost) return;
  parts_.push_back({letter, std::move(name), std::move(part), true});
  std::ranges::sort(parts_, {}, &SavedRange::letter);
  ++generation_;
}

std::optional<char> SavedRanges::add(TracePart part, std::string name) {
  for (std::size_t i = 0; i < kMost; ++i) {
    const char letter = static_cast<char>('A' + i);
    if (find(letter) != nullptr) continue;
    set(letter, std::move(part), std::move(name));
    return letter;
  }
  return std::nullopt;
}

void SavedRanges::rename(char letter, std::string name) {
  if (SavedRange* part = mutable_part(letter)) part->name = std::move(name);
}

void SavedRanges::compare(char letter, bool compared) {
  SavedRange* part = mutable_part(letter);
  if (part == nullptr || part->compared == compared) return;
  part->compared = compared;
  ++generation_;
}

void SavedRanges::remove(char letter) {
  if (std::erase_if(parts_, [&](const SavedRange& part) { return part.letter == letter; }) > 0) ++generation_;
}

void SavedRanges::clear() {
  if (parts_.empty()) return;
  parts_.clear();
  ++generation_;
}

void SavedRanges::take(std::vector<SavedRange> parts) {
  parts_ = std::move(parts);
  ++generation_;
}

}  // namespace kino
