#include "loaders/formats/perfetto/argument_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "loaders/formats/json_import/import_writer.hpp"

namespace kino {
namespace {

constexpr int kDeepest = 64;

// Field numbers of Perfetto's debug_annotation.proto.
constexpr std::uint32_t kNameId = 1;
constexpr std::uint32_t kBool = 2;
constexpr std::uint32_t kUnsigned = 3;
constexpr std::uint32_t kSigned = 4;
constexpr std::uint32_t kDouble = 5;
constexpr std::uint32_t kText = 6;
constexpr std::uint32_t kPointer = 7;
constexpr std::uint32_t kOldJson = 9;
constexpr std::uint32_t kName = 10;
constexpr std::uint32_t kMember = 11;
constexpr std::uint32_t kElement = 12;
constexpr std::uint32_t kTextId = 17;

template <class T>
void append_number(std::string& out, T value) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{}) out.append(digits.data(), end);
}

/// Returns whether the value is a dictionary or a list, which has one field per member.
bool nests(const ProtoField& value) { return value.number == kMember || value.number == kElement; }

class JsonOfValue {
 public:
  /// `texts` resolves ids. If `texts` is null, the text ends at the first id, and complete() returns false.
  JsonOfValue(std::string& out, const ValueTexts* texts) : out_(out), texts_(texts) {}

  /// Appends the value as JSON; null if the value is absent or nested too deeply.
  void append(std::string_view annotation, int depth = 0) {
    ProtoFields fields(annotation);
    ProtoField field;
    char open = 0;
    const std::size_t begin = out_.size();
    if (depth > kDeepest) {
      out_ += "null";
      return;
    }
    while (complete_ && fields.next(field)) {
      if (open != 0 && !nests(field)) continue;
      if (nests(field)) {
        if (out_.size() > ArgumentValues::kMostBytes) return;  // too long to be shown
        if (open == 0) out_.resize(begin);
        append_part(field, open, depth);
      } else if (field.number != kNameId && field.number != kName) {
        out_.resize(begin);
        append_scalar(field);
      }
    }
    if (open != 0) {
      out_ += open == '{' ? '}' : ']';
    } else if (out_.size() == begin) {
      out_ += "null";
    }
  }
  bool complete() const { return complete_; }

 private:
  void append_part(const ProtoField& field, char& open, int depth) {
    if (open == 0) {
      open = field.number == kMember ? '{' : '[';
      out_ += open;
    } else {
      out_ += ',';
    }
    if (open == '{') append_name(field.bytes);
    append(field.bytes, depth + 1);
  }

  void append_name(std::string_view entry) {
    std::string name;
    ProtoField field;
    for (ProtoFields fields(entry); fields.next(field);) {
      if (field.number == kNameId)
        name = text_of(texts_ != nullptr ? &texts_->argument_names : nullptr, field.value);
      if (field.number == kName) {
        name.clear();
        append_escaped(name, field.bytes);
      }
    }
    out_.append("\"").append(name).append("\":");
  }

  void append_scalar(const ProtoField& field) {
    switch (field.number) {
      case kBool:
        out_ += field.value != 0 ? "true" : "false";
        break;
      case kUnsigned:
      case kPointer:
        append_number(out_, field.value);
        break;
      case kSigned:
        append_number(out_, field.signed_value());
        break;
      case kDouble:
        if (std::isfinite(field.as_double())) {
          append_number(out_, field.as_double());
        } else {
          out_ += "null";
        }
        break;
      case kText:
      case kOldJson:
        out_ += '"';
        append_escaped(out_, field.bytes);
        out_ += '"';
        break;
      case kTextId:
        out_.append("\"")
            .append(text_of(texts_ != nullptr ? &texts_->argument_texts : nullptr, field.value))
            .append("\"");
        break;
      default:
        break;
    }
  }

  std::string_view text_of(const PacketNames* table, std::uint64_t id) {
    complete_ = table != nullptr;
    return complete_ ? texts_->texts[number_in(*table, id)] : std::string_view();
  }

  std::string& out_;
  const ValueTexts* texts_;
  bool complete_ = true;
};

}  // namespace

void ArgumentValues::keep(PerfettoArgument::Kind kind, std::string_view value, DecodedArgument& in) {
  in.too_long = value.size() > kMostBytes;
  if (in.too_long) return in.value.set(PerfettoArgument::Kind::json, "null");
  char* const place = static_cast<char*>(values_.allocate(value.size() + 1, 1));
  std::ranges::copy(value, place);
  in.value.set(kind, {place, value.size()});
}

DecodedArgument ArgumentValues::read(std::string_view annotation) {
  using Kind = PerfettoArgument::Kind;
  DecodedArgument argument;
  ProtoField last;  // last value, which may precede its name
  ProtoField field;
  for (ProtoFields fields(annotation); fields.next(field);) {
    if (field.number == kNameId) {
      argument.name = {{}, field.value};
    } else if (field.number == kName) {
      argument.name = {field.bytes};
    } else if (!nests(last)) {
      last = field;
    }
  }
  PerfettoArgument& value = argument.value;
  switch (last.number) {
    case kBool:
      value.set(Kind::json, last.value != 0 ? "true" : "false");
      break;
    case kUnsigned:
    case kPointer:
      value.integer = last.signed_value();
      if (value.integer < 0) keep(Kind::json, std::to_string(last.value), argument);
      break;
    case kSigned:
      value.integer = last.signed_value();
      break;
    case kDouble:
      value.kind = Kind::number;
      value.number = last.as_double();
      break;
    case kText:
    case kOldJson:
      scratch_.clear();
      append_escaped(scratch_, last.bytes);
      keep(Kind::text, scratch_, argument);
      break;
    case kTextId:
      argument.missing = DecodedArgument::Missing::text;
      value.integer = last.signed_value();
      break;
    case kMember:
    case kElement: {
      scratch_.clear();
      JsonOfValue json(scratch_, nullptr);
      json.append(annotation);
      if (json.complete()) {
        keep(Kind::json, scratch_, argument);
      } else {
        argument.missing = DecodedArgument::Missing::all;
        value.set(Kind::json, annotation);
      }
      break;
    }
    default:
      value.set(Kind::json, "null");
  }
  return argument;
}

DecodedArgument ArgumentValues::read_value(std::string_view annotation, const ValueTexts& texts) {
  DecodedArgument argument;
  scratch_.clear();
  JsonOfValue(scratch_, &texts).append(annotation);
  keep(PerfettoArgument::Kind::json, scratch_, argument);
  return argument;
}

}  // namespace kino
