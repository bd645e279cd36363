// The plain values of a pickle or a JSON document as a tree that can be walked: lists, dicts, texts, numbers.
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

/// Takes what read_pickle() reads. Lists and dicts are shared by their number, as a pickle shares them, so
/// that a tree can be far larger than its file, or hold itself: whoever walks it bounds depth and count. What
/// it keeps is bounded by the bytes read.
class PlainTree {
 public:
  /// In errors: what never runs code.
  static constexpr const char* kSubject = "a dump of the flight recorder";

  // ---- As read_pickle() builds it
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
  static bool breaks_when_cut(std::span<const PlainValue> /*items*/) { return false; }
  static bool is_cut(PlainValue /*value*/) { return false; }
  /// Of texts; else empty.
  std::string plain_text(PlainValue value) const { return std::string(text_of(value)); }
  const std::optional<Error>& failed() const { return failed_; }
  DamageLog& damage() { return damage_; }
  std::uint64_t offset = 0;

  // ---- As it is read
  /// Of a list its items; of a dict keys and values by turns; of others nothing.
  std::span<const PlainValue> items(PlainValue value) const;
  /// The value of the key, of several the last; none without.
  PlainValue find(PlainValue dict, std::string_view key) const;
  /// Empty for what is no text.
  std::string_view text_of(PlainValue value) const;
  std::optional<std::int64_t> integer_of(PlainValue value) const;
  /// 0 for what is none.
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
  bool within(std::uint64_t count);

  std::vector<Object> objects_;
  StringTable texts_;
  std::vector<std::uint64_t> wides_;
  std::vector<double> reals_;
  std::uint64_t kept_ = 0;
  std::optional<Error> failed_;
  DamageLog damage_;
};

}  // namespace kino
