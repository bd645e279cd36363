// A tree of the plain values in a pickle or JSON document: lists, dicts, texts and numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/damage.hpp"
#include "core/base/string_table.hpp"
#include "loaders/formats/snapshot/snapshot_assembler.hpp"

namespace kino {

/// A target of read_pickle(). Lists and dicts are shared by id, as in a pickle. So a tree can be cyclic, or
/// much larger than its file: callers must limit depth and count. Memory is bounded by the bytes read.
class PlainTree {
 public:
  /// Subject of the error message if a pickle is refused.
  static constexpr const char* kSubject = "a dump of the flight recorder";

  // ---- For read_pickle()
  PlainValue integer(std::int64_t value);
  PlainValue integer_above(std::uint64_t value);
  PlainValue real(double value);
  PlainValue text(std::string_view value);
  static PlainValue boolean(bool value) { return SnapshotAssembler::boolean(value); }
  static PlainValue too_large() { return SnapshotAssembler::too_large(); }
  PlainValue new_list() { return new_object(false); }
  PlainValue new_dict() { return new_object(true); }
  PlainValue tuple(std::span<const PlainValue> items);
  bool is_list(PlainValue value) const;
  bool is_dict(PlainValue value) const;
  bool is_empty_list(PlainValue value) const { return is_list(value) && items(value).empty(); }
  std::optional<PlainValue> only_item(PlainValue list) const;
  bool append(PlainValue list, std::span<const PlainValue> items);
  bool set_items(PlainValue dict, std::span<const PlainValue> items);
  static bool is_useless_incomplete(std::span<const PlainValue> /*items*/) { return false; }
  static bool is_cut_row(PlainValue /*value*/) { return false; }
  /// Returns a text; empty for other values.
  std::string plain_text(PlainValue value) const { return std::string(text_of(value)); }
  const std::optional<Error>& failed() const { return failed_; }
  DamageLog& damage() { return damage_; }
  std::uint64_t offset = 0;

  // ---- Access
  /// Items of a list; alternating keys and values of a dict; empty for other values.
  std::span<const PlainValue> items(PlainValue value) const;
  /// Returns the last value of a key; none if the key is absent.
  PlainValue find(PlainValue dict, std::string_view key) const;
  /// Returns a text; empty for other values.
  std::string_view text_of(PlainValue value) const;
  std::optional<std::int64_t> integer_of(PlainValue value) const;
  /// Returns a real number; 0 for other values.
  double real_of(PlainValue value) const {
    return value.tag() == PlainValue::Tag::real ? reals_[value.payload()] : 0;
  }
  static bool is_true(PlainValue value) {
    return value.tag() == PlainValue::Tag::boolean && value.payload() != 0;
  }

 private:
  struct Object {
    bool dict = false;
    std::vector<PlainValue> items;
  };

  PlainValue new_object(bool dict);
  bool add_items(Object& object, std::span<const PlainValue> items);
  bool within(std::uint64_t count);

  std::vector<Object> objects_;
  StringTable texts_;
  std::vector<std::uint64_t> wides_;
  std::vector<double> reals_;
  std::uint64_t item_count_ = 0;
  std::optional<Error> failed_;
  DamageLog damage_;
};

}  // namespace kino
