// Covers: pickle_writer, byte_window
// Plain values in a written pickle are restored, with shared values.
#include "loaders/formats/snapshot/pickle_writer.hpp"

#include <string>

#include <doctest/doctest.h>

#include "loaders/bytes/byte_window.hpp"
#include "loaders/formats/snapshot/pickle_reader.hpp"

namespace {

using kino::PlainTree;
using kino::PlainValue;

class StreamOfText : public kino::ByteStream {
 public:
  explicit StreamOfText(std::string_view text) : text_(text) {}
  kino::Result<std::size_t> read(std::span<std::uint8_t> out) override {
    const std::size_t size = std::min(out.size(), text_.size() - at_);
    std::copy_n(text_.data() + at_, size, out.data());
    at_ += size;
    return size;
  }
  std::uint64_t file_bytes_read() const override { return at_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

std::string as_they_are(PlainValue, PlainValue, std::string_view text) { return std::string(text); }

std::string pickled(const PlainTree& tree, PlainValue root) {
  std::string bytes;
  const auto error = kino::write_pickle(
      tree, root,
      [](PlainValue dict, PlainValue key, std::string_view text) { return as_they_are(dict, key, text); },
      [&](std::string_view more) {
        bytes += more;
        return true;
      });
  CHECK(!error);
  return bytes;
}

PlainValue read(std::string_view bytes, PlainTree& into) {
  StreamOfText stream(bytes);
  kino::ByteWindow window(stream);
  const auto end = kino::read_pickle(window, into, [] { return true; });
  REQUIRE(end.ok());
  CHECK(!end.value().damage);
  return end.value().root;
}

/// Text of a value for comparisons; bounded, since trees can be cyclic.
std::string shape(const PlainTree& tree, PlainValue value, int depth = 0) {
  if (depth > 6) return "...";
  if (tree.is_list(value) || tree.is_dict(value)) {
    std::string text = tree.is_dict(value) ? "{" : "[";
    for (const PlainValue item : tree.items(value)) text += shape(tree, item, depth + 1) + ",";
    return text + (tree.is_dict(value) ? "}" : "]");
  }
  if (value.tag() == PlainValue::Tag::text) return "'" + std::string(tree.text_of(value)) + "'";
  if (const auto integer = tree.integer_of(value)) return std::to_string(*integer);
  if (value.tag() == PlainValue::Tag::real) return std::to_string(tree.real_of(value));
  return "<" + std::to_string(static_cast<int>(value.tag())) + (PlainTree::is_true(value) ? "+>" : ">");
}

}  // namespace

TEST_CASE("a written pickle of plain values is read back unchanged") {
  PlainTree tree;
  const PlainValue root = tree.new_dict();
  const PlainValue list = tree.new_list();
  std::vector<PlainValue> items;
  for (const std::int64_t number :
       {0L, 255L, 256L, -1L, 2147483647L, -2147483648L, 2147483648L, 1L << 59, -(1L << 62)})
    items.push_back(tree.integer(number));
  items.push_back(tree.integer_above(~std::uint64_t{0}));
  items.push_back(tree.real(-2.5));
  items.push_back(PlainTree::boolean(true));
  items.push_back(PlainTree::boolean(false));
  items.push_back({});
  items.push_back(PlainTree::too_large());
  items.push_back(tree.text(std::string(300, 'x')));
  items.push_back(tree.new_list());
  items.push_back(tree.new_dict());
  tree.append(list, items);
  const PlainValue pairs[] = {tree.text("a"),  list,          tree.text("again"), list,
                              tree.integer(7), tree.text("a")};
  tree.set_items(root, pairs);
  PlainTree back;
  CHECK(shape(back, read(pickled(tree, root), back)) == shape(tree, root));
}

TEST_CASE("shared values are written once, and cyclic ones end") {
  PlainTree tree;
  const PlainValue frame = tree.new_dict();
  const PlainValue pair[] = {tree.text("name"), tree.text(std::string(1000, 'n'))};
  tree.set_items(frame, pair);
  const PlainValue root = tree.new_list();
  for (int i = 0; i < 5000; ++i) tree.append(root, {&frame, 1});
  tree.append(root, {&root, 1});
  const std::string bytes = pickled(tree, root);
  CHECK(bytes.size() < 1100 + 5000 * 2 + 50);
  PlainTree back;
  const PlainValue again = read(bytes, back);
  REQUIRE(back.items(again).size() == 5001);
  CHECK(back.items(again)[0].id() == back.items(again)[4999].id());
  CHECK(back.items(again)[5000].id() == again.id());
}

TEST_CASE("lists that nest too deep for the reader are not written") {
  PlainTree tree;
  const PlainValue root = tree.new_list();
  PlainValue at = root;
  for (int i = 0; i < 5000; ++i) {
    const PlainValue inner = tree.new_list();
    tree.append(at, {&inner, 1});
    at = inner;
  }
  const auto error = kino::write_pickle(tree, root, as_they_are, [](std::string_view) { return true; });
  REQUIRE(error);
  CHECK(error->kind == kino::Error::Kind::corrupt);
}

TEST_CASE("a text is replaced by its key, also within lists") {
  PlainTree tree;
  const PlainValue root = tree.new_dict();
  const PlainValue list = tree.new_list();
  const PlainValue text = tree.text("x");
  tree.append(list, {&text, 1});
  const PlainValue pairs[] = {tree.text("a"), text, tree.text("b"), list};
  tree.set_items(root, pairs);
  std::string bytes;
  CHECK(!kino::write_pickle(
      tree, root,
      [&](PlainValue dict, PlainValue key, std::string_view it) {
        if (key.tag() == PlainValue::Tag::none) return std::string(it);
        return std::string(tree.text_of(key)) + (tree.is_dict(dict) ? "!" : "?");
      },
      [&](std::string_view more) {
        bytes += more;
        return true;
      }));
  PlainTree back;
  CHECK(shape(back, read(bytes, back)) == "{'a','a!','b',['b!',],}");
}
