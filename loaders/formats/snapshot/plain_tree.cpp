#include "loaders/formats/snapshot/plain_tree.hpp"

namespace kino {

using Tag = PlainValue::Tag;

bool PlainTree::within(std::uint64_t count) {
  constexpr std::uint64_t kSlack = 1 << 16U;
  if (failed_) return false;
  if (count <= kSlack + offset * 2) return true;
  failed_ = Error{Error::Kind::corrupt, "The file declares more values than its size allows", offset};
  return false;
}

PlainValue PlainTree::integer(std::int64_t value) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 59U;
  if (value >= -kLimit && value < kLimit) return {Tag::integer, static_cast<std::uint64_t>(value)};
  return integer_above(static_cast<std::uint64_t>(value));
}

PlainValue PlainTree::integer_above(std::uint64_t value) {
  wides_.push_back(value);
  return {Tag::wide, wides_.size() - 1};
}

PlainValue PlainTree::real(double value) {
  reals_.push_back(value);
  return {Tag::real, reals_.size() - 1};
}

PlainValue PlainTree::text(std::string_view value) {
  if (!within(texts_.size())) return {};
  return {Tag::text, texts_.intern(value)};
}

PlainValue PlainTree::new_object(bool dict) {
  if (!within(objects_.size())) return {};
  objects_.push_back({dict, {}});
  return {Tag::object, objects_.size() - 1};
}

PlainValue PlainTree::tuple(std::span<const PlainValue> items) {
  const PlainValue list = new_list();
  append(list, items);
  return list;
}

bool PlainTree::is_list(PlainValue value) const {
  return value.tag() == Tag::object && !objects_[value.id()].dict;
}

bool PlainTree::is_dict(PlainValue value) const {
  return value.tag() == Tag::object && objects_[value.id()].dict;
}

std::optional<PlainValue> PlainTree::only_item(PlainValue list) const {
  const auto all = items(list);
  if (!is_list(list) || all.size() != 1) return std::nullopt;
  return all.front();
}

bool PlainTree::add_items(Object& object, std::span<const PlainValue> items) {
  if (within(item_count_ += items.size()))
    object.items.insert(object.items.end(), items.begin(), items.end());
  return true;
}

bool PlainTree::append(PlainValue list, std::span<const PlainValue> items) {
  return is_list(list) ? add_items(objects_[list.id()], items) : failed_.has_value();
}

bool PlainTree::set_items(PlainValue dict, std::span<const PlainValue> items) {
  return is_dict(dict) ? add_items(objects_[dict.id()], items) : failed_.has_value();
}

std::span<const PlainValue> PlainTree::items(PlainValue value) const {
  if (value.tag() != Tag::object) return {};
  return objects_[value.id()].items;
}

PlainValue PlainTree::find(PlainValue dict, std::string_view key) const {
  PlainValue found;
  if (!is_dict(dict)) return found;
  const auto all = items(dict);
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    if (text_of(all[i]) == key) found = all[i + 1];
  }
  return found;
}

std::string_view PlainTree::text_of(PlainValue value) const {
  return value.tag() == Tag::text ? texts_[value.id()] : std::string_view();
}

std::optional<std::int64_t> PlainTree::integer_of(PlainValue value) const {
  if (value.tag() == Tag::integer) return value.integer();
  if (value.tag() == Tag::wide) return static_cast<std::int64_t>(wides_[value.payload()]);
  return std::nullopt;
}

}  // namespace kino
