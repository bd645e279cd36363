#include "app/ui/view/kept_parts.hpp"

#include <algorithm>
#include <utility>

namespace kino {

const KeptPart* KeptParts::find(char letter) const {
  const auto found = std::ranges::find(parts_, letter, &KeptPart::letter);
  return found == parts_.end() ? nullptr : &*found;
}

KeptPart* KeptParts::mutable_part(char letter) {
  const auto found = std::ranges::find(parts_, letter, &KeptPart::letter);
  return found == parts_.end() ? nullptr : &*found;
}

void KeptParts::set(char letter, TracePart part, std::string name) {
  std::erase_if(parts_, [&](const KeptPart& part) { return part.letter == letter; });
  if (parts_.size() >= kMost) return;
  parts_.push_back({letter, std::move(name), std::move(part), true});
  std::ranges::sort(parts_, {}, &KeptPart::letter);
  ++generation_;
}

std::optional<char> KeptParts::add(TracePart part, std::string name) {
  for (std::size_t i = 0; i < kMost; ++i) {
    const char letter = static_cast<char>('A' + i);
    if (find(letter) != nullptr) continue;
    set(letter, std::move(part), std::move(name));
    return letter;
  }
  return std::nullopt;
}

void KeptParts::rename(char letter, std::string name) {
  if (KeptPart* part = mutable_part(letter)) part->name = std::move(name);
}

void KeptParts::compare(char letter, bool compared) {
  KeptPart* part = mutable_part(letter);
  if (part == nullptr || part->compared == compared) return;
  part->compared = compared;
  ++generation_;
}

void KeptParts::remove(char letter) {
  if (std::erase_if(parts_, [&](const KeptPart& part) { return part.letter == letter; }) > 0) ++generation_;
}

void KeptParts::clear() {
  if (parts_.empty()) return;
  parts_.clear();
  ++generation_;
}

void KeptParts::take(std::vector<KeptPart> parts) {
  parts_ = std::move(parts);
  ++generation_;
}

}  // namespace kino
