// Splits SQL into tokens, as far as needed to separate statements and to find Perfetto's additions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

struct SqlToken {
  enum class Kind : unsigned char { word, quoted_name, text, number, variable, mark };
  Kind kind = Kind::mark;
  std::size_t begin = 0;  ///< offset in the text
  std::size_t end = 0;

  std::string_view in(std::string_view sql) const { return sql.substr(begin, end - begin); }
};

/// Returns the tokens, except white space and comments. Unclosed quotes extend to the end. O(length).
std::vector<SqlToken> sql_tokens(std::string_view sql);

/// Range [first, last) of the tokens of a statement. Statements are separated by semicolons; empty ones are
/// left out.
struct SqlRange {
  std::size_t first = 0;
  std::size_t last = 0;
};
std::vector<SqlRange> sql_statements(std::string_view sql, const std::vector<SqlToken>& tokens);

/// Returns `name` quoted as an SQL identifier.
std::string sql_identifier(std::string_view name);

/// Iterates over the tokens of a statement.
class SqlWords {
 public:
  SqlWords(std::string_view sql, const std::vector<SqlToken>& tokens, SqlRange range)
      : sql_(sql), tokens_(tokens), at_(range.first), last_(range.last) {}

  bool at_end() const { return at_ >= last_; }
  std::size_t place() const { return at_; }
  void go_to(std::size_t place) { at_ = place; }
  /// Empty at the end.
  std::string_view text() const { return text_of(at_); }
  std::string_view text_of(std::size_t token) const {
    return token < last_ ? tokens_[token].in(sql_) : std::string_view();
  }
  const SqlToken& token() const { return tokens_[at_]; }
  /// If the next token is this word (in any case) or mark, skips it and returns true.
  bool take(std::string_view wanted);
  /// Skips a name and returns it without its quotes. Empty if the next token is not a name.
  std::string_view take_name();
  /// Skips a pair of parentheses and returns the range of tokens between them. Empty if there are none.
  SqlRange take_brackets();
  /// Returns the text from the next token to the end of the statement.
  std::string_view rest() const;
  std::size_t offset() const { return at_end() ? sql_.size() : tokens_[at_].begin; }

 private:
  std::string_view sql_;
  const std::vector<SqlToken>& tokens_;
  std::size_t at_;
  std::size_t last_;
};

}  // namespace kino
