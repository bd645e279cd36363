#include "loaders/query/sql_text/row_sums.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/ascii.hpp"
#include "loaders/query/sql_text/sql_text.hpp"

namespace kino {
namespace {

using Figure = RowSums::Figure;

// Opcodes permitted before the loop: none of them can restart it.
constexpr std::string_view kBefore[] = {
    "Init",  "Noop",          "Null",       "Integer",       "Int64",      "Real",      "String8", "Variable",
    "Gosub", "OpenEphemeral", "SorterOpen", "Once",          "MakeRecord", "IdxInsert", "VInitIn", "Affinity",
    "VOpen", "Copy",          "SCopy",      "InitCoroutine", "IfNot",      "If",        "Explain", "NullRow"};

class ProgramReader {
 public:
  explicit ProgramReader(std::span<const ProgramStep> program) : steps_(program) {}

  std::optional<RowSums> read() {
    if (!find_loop() || !is_alone()) return std::nullopt;
    at_ = filter_ + 1;
    if (!take_keys()) return std::nullopt;
    while (take_figure()) {
    }
    if (!take_rest() || at_ != next_) return std::nullopt;
    return std::move(sums_);
  }

 private:
  const ProgramStep& step(std::size_t i) const { return steps_[i]; }
  bool is(std::size_t i, std::string_view opcode) const { return i < next_ && steps_[i].opcode == opcode; }
  /// Returns the index of the step to which an operand refers; past the end if there is none.
  std::size_t place(int operand) const {
    return operand < 0 ? steps_.size() : static_cast<std::size_t>(operand);
  }

  /// Returns the index of the only step with this opcode; past the end if there is none, or several.
  std::size_t only(std::string_view opcode) const {
    const auto at = std::ranges::find(steps_, opcode, &ProgramStep::opcode);
    if (at == steps_.end() ||
        std::find_if(std::next(at), steps_.end(), [opcode](const ProgramStep& program_step) {
          return program_step.opcode == opcode;
        }) != steps_.end())
      return steps_.size();
    return static_cast<std::size_t>(at - steps_.begin());
  }

  bool find_loop() {
    const std::size_t opened = only("VOpen");
    filter_ = only("VFilter");
    next_ = only("VNext");
    if (opened >= filter_ || filter_ >= next_ || next_ >= steps_.size()) return false;
    cursor_ = step(filter_).p1;
    if (step(opened).p1 != cursor_ || step(next_).p1 != cursor_) return false;
    if (place(step(next_).p2) != filter_ + 1 || place(step(filter_).p2) != next_ + 1) return false;
    const std::string& plan = step(filter_).p4;
    sums_.table = plan.substr(0, std::min(plan.find(':'), plan.size()));
    return sums_.table.size() < plan.size();
  }

  /// Returns whether the loop starts only once, and no other step reads its rows.
  bool is_alone() const {
    for (std::size_t i = 0; i < filter_; ++i) {
      if (std::ranges::find(kBefore, step(i).opcode) == std::end(kBefore)) return false;
    }
    for (std::size_t i = next_ + 1; i < steps_.size(); ++i) {
      const ProgramStep& later = step(i);
      if (later.opcode == "VColumn" || (later.opcode == "Rowid" && later.p1 == cursor_)) return false;
      if (later.opcode == "AggStep" && later.p4.starts_with(kCountedFunction)) return false;
      const bool goes_back = later.opcode == "Goto" || later.opcode.ends_with("Next");
      if (goes_back && place(later.p2) <= next_ && i + 1 < steps_.size()) return false;
    }
    return true;
  }

  /// Returns whether keys are compared bytewise. With other collations, SQLite would merge keys that the
  /// table distinguishes.
  static bool is_binary(std::string_view collations, int count) {
    std::string rising = "k(" + std::to_string(count);
    std::size_t at = rising.size();
    if (!collations.starts_with(rising)) return false;
    for (int i = 0; i < count; ++i) {
      const std::string_view rest = collations.substr(at);
      if (!rest.starts_with(",B") && !rest.starts_with(",-B")) return false;
      at += rest[1] == '-' ? 3 : 2;
    }
    return collations.substr(at) == ")";
  }

  /// Reads the steps for the keys of a row, and for a change of keys. Returns false for other steps.
  bool take_keys() {
    std::size_t keys = 0;
    while (is(at_ + keys, "VColumn")) ++keys;
    if (!is(at_ + keys, "Compare")) return true;
    const std::size_t compare = at_ + keys;
    const ProgramStep& compared = step(compare);
    const auto count = static_cast<int>(keys);
    if (keys == 0 || compared.p3 != count || !is_binary(compared.p4, count)) return false;
    for (int i = 0; i < count; ++i) {
      const ProgramStep& key = step(at_ + static_cast<std::size_t>(i));
      if (key.p1 != cursor_ || key.p3 != compared.p2 + i) return false;
      sums_.reads.push_back({key.p2, Figure::key});
    }
    sums_.keys = keys;
    static constexpr std::string_view kOther[] = {"Jump", "Move", "Gosub", "IfPos", "Gosub"};
    for (std::size_t i = 0; i < std::size(kOther); ++i) {
      if (!is(compare + 1 + i, kOther[i])) return false;
    }
    at_ = compare + 1 + std::size(kOther);
    const ProgramStep& jump = step(compare + 1);
    const ProgramStep& move = step(compare + 2);
    return place(jump.p1) == compare + 2 && place(jump.p2) == at_ && place(jump.p3) == compare + 2 &&
           move.p1 == compared.p2 && move.p2 == compared.p1 && move.p3 == count;
  }

  static std::optional<Figure> figure_of(std::string_view function) {
    if (function == "sum(1)" || function == "total(1)") return Figure::sum;
    if (function == "avg(1)") return Figure::mean;
    if (function == "min(1)") return Figure::least;
    if (function == "max(1)") return Figure::most;
    if (function.starts_with(kCountedFunction)) return Figure::count;
    return std::nullopt;
  }

  /// Reads a step that updates an aggregate. Returns false for other steps and unknown aggregates.
  bool take_figure() {
    std::size_t at = at_;
    const bool reads = is(at, "VColumn");
    if (reads) ++at;
    const bool compares = is(at, "CollSeq");
    if (compares) ++at;
    if (!is(at, "AggStep") || step(at).p1 != 0) return false;
    const std::optional<Figure> figure = figure_of(step(at).p4);
    if (!figure || (!reads && *figure != Figure::count)) return false;
    if (reads) {
      const ProgramStep& read = step(at_);
      if (read.p1 != cursor_ || read.p3 != step(at).p2) return false;
      sums_.reads.push_back({read.p2, *figure});
    }
    needs_row_ = needs_row_ || (compares && step(at_ + (reads ? 1 : 0)).p1 != 0);
    at_ = at + 1;
    return true;
  }

  /// Reads the steps for columns of the first row of a group. If these columns must be from the row with a
  /// min() or max(), only keys are supported.
  bool take_rest() {
    if (is(at_, "If")) {
      const std::size_t end = place(step(at_).p2);
      for (++at_; at_ < end; ++at_) {
        if (!is(at_, "VColumn") || step(at_).p1 != cursor_) return false;
        const auto keys = std::span(sums_.reads).first(sums_.keys);
        if (needs_row_ && std::ranges::find(keys, step(at_).p2, &RowSums::Read::column) == keys.end())
          return false;
      }
      if (at_ != end) return false;
    }
    if (is(at_, "Integer") && step(at_).p1 == 1) ++at_;
    return true;
  }

  std::span<const ProgramStep> steps_;
  std::size_t filter_ = 0;
  std::size_t next_ = 0;
  int cursor_ = 0;
  std::size_t at_ = 0;      // index of the next step; the steps before it have been recognized
  bool needs_row_ = false;  // columns must be from the row with the minimum or maximum
  RowSums sums_;
};

}  // namespace

std::string with_counted_rows(std::string_view sql) {
  const std::vector<SqlToken> tokens = sql_tokens(sql);
  const auto is = [&](std::size_t i, std::string_view wanted) {
    return i < tokens.size() &&
           std::ranges::equal(tokens[i].in(sql), wanted, [](char a, char b) { return lower(a) == b; });
  };
  std::string changed;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != SqlToken::Kind::word || !is(i, "count") || !is(i + 1, "(") || is(i + 2, "distinct"))
      continue;
    changed += sql.substr(taken, tokens[i].begin - taken);
    changed += kCountedFunction;
    taken = tokens[i].end;
  }
  return changed += sql.substr(taken);
}

std::optional<RowSums> row_sums(std::span<const ProgramStep> program) {
  return ProgramReader(program).read();
}

}  // namespace kino
