// Covers: title_match
#include "app/ui/box/title_match.hpp"

#include <doctest/doctest.h>

using namespace kino;

namespace {

TitleTexts texts_of(std::string title, std::vector<std::string_view> words = {}) {
  return {std::move(title), {}, std::move(words), "show-thing"};
}

std::optional<TitleRank> rank(std::string_view text, const TitleTexts& texts) {
  const auto match = match_title(text, texts);
  return match ? std::optional(match->rank) : std::nullopt;
}

}  // namespace

TEST_CASE("a title ranks before its words, search words before names and single letters") {
  const TitleTexts ledger = texts_of("Ledger of the trace", {"mfu, where time goes", "効率, 時間の内訳"});
  CHECK(rank("ledger of the trace", ledger) == TitleRank::title);
  CHECK(rank("LEDG", ledger) == TitleRank::title_start);
  CHECK(rank("trace led", ledger) == TitleRank::title_words);
  CHECK(rank("edge", ledger) == TitleRank::title_part);
  CHECK(rank("mfu", ledger) == TitleRank::whole_words);
  CHECK(rank("効率", ledger) == TitleRank::whole_words);
  CHECK(rank("time go", ledger) == TitleRank::words);
  CHECK(rank("show-th", ledger) == TitleRank::name);
  CHECK(rank("ldgr", ledger) == TitleRank::one_word);
  CHECK(rank("", ledger) == TitleRank::title);
}

TEST_CASE("letters match within one word only, never over a sentence") {
  const TitleTexts fit = texts_of("Fit the whole trace");
  CHECK_FALSE(rank("fwt", fit));
  CHECK_FALSE(rank("ftwt", fit));
  CHECK_FALSE(rank("te", fit));      // too few letters
  CHECK_FALSE(rank("race x", fit));  // each word must match
  CHECK(rank("trce", fit) == TitleRank::one_word);
  CHECK_FALSE(rank("rce", fit));  // the first letter must match
}

TEST_CASE("the matched bytes of the title are reported, and none if another text matched") {
  TitleTexts fit = texts_of("Fit the whole", {"home"});
  fit.other_titles = {"全体を表示"};
  CHECK(match_title("whole fit", fit)->positions == std::vector<std::size_t>{0, 1, 2, 8, 9, 10, 11, 12});
  CHECK(match_title("hol", fit)->positions == std::vector<std::size_t>{9, 10, 11});
  CHECK(match_title("home", fit)->positions.empty());
  CHECK(match_title("表示", fit) == TitleMatch{TitleRank::other_title, {}});
}
