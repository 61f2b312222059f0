#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "longrun/base/characters.h"
#include "longrun/base/field_error.h"
#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/parallel.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/random.h"
#include "longrun/base/rounds.h"
#include "longrun/base/running_sum.h"
#include "longrun/base/split.h"
#include "longrun/base/text.h"
#include "longrun/base/unknown_name_error.h"

namespace longrun {
namespace {

TEST(RandomBlock, IsPhilox4x32WithTenRounds) {
  // The published known answer for counter 0 and key 0 (Random123, kat_vectors).
  const auto [first, second] = random_block({}, 0);
  EXPECT_EQ(first, 0x6627e8d5e169c58dU);
  EXPECT_EQ(second, 0xbc57ac4c9b00dbd8U);
}

TEST(RandomBlock, EveryPartOfTheKeyOpensAnotherStream) {
  std::set<std::uint64_t> seen;
  int drawn = 0;
  const auto draw = [&](const StreamKey& key, std::uint64_t index) {
    for (const std::uint64_t bits : random_block(key, index)) seen.insert(bits);
    drawn += 2;
  };
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
    for (std::uint32_t replicate = 0; replicate < 3; ++replicate) {
      for (const Purpose purpose : kPurposes) {
        for (std::uint32_t lane = 0; lane < 3; ++lane) {
          for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 33}) {
            draw({.seed = seed, .replicate = replicate, .purpose = purpose, .lane = lane}, index);
          }
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(drawn));
}

TEST(UnitInterval, ExcludesItsEnds) {
  EXPECT_GT(unit_interval(0), 0);
  EXPECT_LT(unit_interval(~std::uint64_t{0}), 1);
}

TEST(RunningSum, KeepsTheDigitsThatAPlainSumLoses) {
  RunningSum sum;
  double plain = 0;
  for (int i = 0; i < 10'000'000; ++i) {
    sum.add(0.1);
    plain += 0.1;
  }
  EXPECT_NEAR(sum.value(), 1e6, 1e-9);
  EXPECT_GT(std::abs(plain - 1e6), 1e-5);
}

TEST(NearestName, CorrectsTyposOnly) {
  const std::vector<std::string> names{"spo", "greedy", "d-ucb", "sw-ucb"};
  EXPECT_EQ(nearest_name("gredy", names), "greedy");
  EXPECT_EQ(nearest_name("sp", names), "spo");
  EXPECT_EQ(nearest_name("sw_ucb", names), "sw-ucb");
  EXPECT_EQ(nearest_name("gradient-ascent", names), "");
  EXPECT_EQ(did_you_mean("gredy", names), "; did you mean 'greedy'?");
  EXPECT_EQ(did_you_mean("zzzzzzzz", names), "");
  const std::vector<std::string> letters{"A", "B", "AX"};
  EXPECT_EQ(nearest_name("C", letters), "") << "nothing in common";
  EXPECT_EQ(nearest_name("a", letters), "A");
  EXPECT_EQ(nearest_name("X", letters), "AX");
}

TEST(NearestName, ExchangedLettersAreOneMistake) {
  const std::vector<std::string> names{"plan", "play"};
  EXPECT_EQ(nearest_name("plya", names), "play");
  EXPECT_EQ(nearest_name("paln", names), "plan");
  EXPECT_EQ(nearest_name("lpay", names), "play");
  EXPECT_EQ(nearest_name("ba", std::vector<std::string>{"bcde", "ab"}), "ab");
}

TEST(NearestName, ComparesCharactersAndNotBytes) {
  EXPECT_EQ(nearest_name("\u00e4\u00f6", std::vector<std::string>{"\u00e4\u00fc"}), "\u00e4\u00fc");
  EXPECT_EQ(nearest_name("\u4e00\u4e8c\u4e09", std::vector<std::string>{"\u4e03\u516b\u4e5d"}), "")
      << "no character in common, but bytes";
  EXPECT_EQ(nearest_name("na\u00efve", std::vector<std::string>{"naive"}), "naive");
}

TEST(Characters, OfATextAreThoseOfUnicodeAndBytesThatAreNoUtf8) {
  EXPECT_EQ(characters_of("a\u00e4\u4e00\U0001F600"), U"a\u00e4\u4e00\U0001F600");
  EXPECT_EQ(characters_of("a\xC3(").size(), 3U);
  EXPECT_NE(characters_of("\xC3"), characters_of("\u00c3"));
  EXPECT_EQ(characters_of(""), U"");
  for (const char* text : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE4\xB8", "\x80"}) {
    EXPECT_FALSE(first_character(text).is_valid()) << text;
    EXPECT_EQ(first_character(text).bytes, 1U);
    EXPECT_EQ(characters_of(text).size(), std::string_view(text).size());
    EXPECT_FALSE(is_utf8(text)) << text;
  }
  EXPECT_EQ(first_character("\U0010FFFFa").code, 0x10FFFFU);
  EXPECT_EQ(first_character("\U0010FFFFa").bytes, 4U);
}

TEST(NearestName, AnErrorComparesTheFirstThousandNames) {
  std::vector<std::string> names(100'000, "north");
  names[999] = "south";
  names[1000] = "sooth";
  EXPECT_EQ(did_you_mean("soth", names), "; did you mean 'south'?");
  EXPECT_EQ(did_you_mean("sooth", names), "; did you mean 'south'?");
}

TEST(ParseNumber, ReadsTheWholeTextOrReturnsNothing) {
  EXPECT_EQ(parse_number("0.25"), 0.25);
  EXPECT_EQ(parse_number("+1e-3"), 1e-3);
  EXPECT_FALSE(parse_number("0.25x"));
  EXPECT_FALSE(parse_number(""));
  EXPECT_FALSE(parse_number("+-1"));
  EXPECT_EQ(number_hint("1,000"), ", without separators: 1000");
  EXPECT_EQ(number_hint("12'345'678"), ", without separators: 12345678");
  EXPECT_EQ(number_hint("1 000.25"), ", without separators: 1000.25");
  EXPECT_EQ(number_hint("1.000.000"), ", without separators: 1000000");
  EXPECT_EQ(number_hint("1_000"), ", without separators: 1000");
  EXPECT_EQ(separator_hint("1,000"), ", without separators: 1000");
  EXPECT_EQ(separator_hint("1,5"), "");
  EXPECT_EQ(number_hint("1,5"), ", with a decimal point: 1.5");
  for (const char* other : {"", ",", "1,", ",000", "1,00,000x", "x", "1000", "1.5", "1,2,3", "1,000,00", "-1,000"}) {
    EXPECT_EQ(number_hint(other), "") << other;
  }
  EXPECT_EQ(parse_number<int>("12"), 12);
  EXPECT_FALSE(parse_number<int>("1.5"));
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
  EXPECT_EQ(split("a,", ','), (std::vector<std::string_view>{"a", ""}));
}

TEST(Replaced, ReplacesEveryOccurrenceButNotReplacements) {
  EXPECT_EQ(replaced("a-b--c", "-", "--"), "a--b----c");
  EXPECT_EQ(replaced("aaa", "aa", "b"), "ba");
  EXPECT_EQ(replaced("abc", "x", "y"), "abc");
  EXPECT_EQ(replaced("abc", "b", ""), "ac");
  EXPECT_EQ(replaced("", "x", "y"), "");
}

TEST(IsUtf8, AcceptsTextAndRefusesOtherBytes) {
  for (const char* text : {"", "plain", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
  for (const char* bytes : {"\xff", "\x80", "\xc0\xaf", "\xc3", "\xe2\x82", "\xe0\x80\x80", "\xed\xa0\x80",
                            "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "a\xc3(", "\xf0\x80\x80\x80"}) {
    EXPECT_FALSE(is_utf8(bytes)) << bytes;
  }
}

TEST(Wrapped, CountsCharactersNotBytes) {
  std::string umlauts;
  for (int i = 0; i < 50; ++i) umlauts += "ü";  // two bytes each
  const std::string fits = umlauts + " " + std::string(49, 'x');
  EXPECT_EQ(wrapped(fits), fits);
  EXPECT_EQ(wrapped(umlauts + " " + std::string(50, 'x')), umlauts + "\n" + std::string(50, 'x'));
  EXPECT_EQ(wrapped(fits + " y", "ü "), fits + "\nü y");
}

TEST(Wrapped, HasOneSpaceBetweenWordsAndNoLineBreakAtTheEnd) {
  EXPECT_EQ(wrapped("  a  b "), "a b");
  EXPECT_EQ(wrapped(""), "");
}

TEST(InParallel, DoesEveryTaskOnceWithAnyNumberOfThreads) {
  for (const int threads : {0, 1, 2, 7, 40}) {
    std::vector<std::atomic<int>> done(23);
    in_parallel(threads, done.size(), [&](std::size_t i) { ++done[i]; });
    for (const auto& count : done) EXPECT_EQ(count, 1) << threads;
  }
  in_parallel(3, 0, [](std::size_t) { FAIL() << "no task was given"; });
}

TEST(InParallel, RunsAsManyAtATimeAsItHasThreads) {
  std::atomic<int> arrived{0};
  in_parallel(3, 3, [&](std::size_t) {  // ends only if all three run at the same time
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 3);
}

TEST(InParallel, TheFirstExceptionIsThrown) {
  for (const int threads : {1, 4}) {
    const auto always = [](std::size_t i) { throw InputError("task " + std::to_string(i)); };
    EXPECT_THROW(in_parallel(threads, 1000, always), InputError);
  }
  try {
    in_parallel(1, 10, [](std::size_t i) {
      if (i >= 4) throw InputError("task " + std::to_string(i));
    });
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "task 4");
  }
}

TEST(InParallel, AnExceptionStopsAllThreads) {
  constexpr std::size_t kMany = 60'000;  // a minute of work
  std::atomic<std::size_t> begun{0};
  EXPECT_THROW(in_parallel(2, kMany,
                           [&](std::size_t i) {
                             ++begun;
                             if (i == 0) throw InputError("enough");
                             std::this_thread::sleep_for(std::chrono::milliseconds(1));
                           }),
               InputError);
  EXPECT_LT(begun, kMany);
}

TEST(Text, StatesSharesWithoutACertaintyThatTheyDoNotHave) {
  EXPECT_EQ(share_text(1), "100 %");
  EXPECT_EQ(share_text(0.97), "97 %");
  EXPECT_EQ(share_text(0.999), "over 99 %");
  EXPECT_EQ(share_text(0.001), "under 1 %");
  EXPECT_EQ(share_text(0), "0 %");
}

TEST(Text, ChangesTheCaseOnlyOfLettersOfAscii) {
  EXPECT_EQ(lower_case("Round_ID 7"), "round_id 7");
  EXPECT_EQ(lower_case("\xc3\x89t\xc3\xa9"), "\xc3\x89t\xc3\xa9");
  EXPECT_EQ(capitalised("greedy"), "Greedy");
  EXPECT_EQ(capitalised("\xc3\xa9t\xc3\xa9"), "\xc3\xa9t\xc3\xa9");
  EXPECT_EQ(capitalised(""), "");
}

TEST(RoundBudget, GrantsUnitsRoundByRound) {
  const RoundBudget budget{.units = 10, .units_per_round = 4};
  EXPECT_EQ(budget.rounds(), 3);
  EXPECT_EQ(budget.granted(0), 0);
  EXPECT_EQ(budget.granted(2), 8);
  EXPECT_EQ(budget.granted(3), 10);
  EXPECT_EQ(budget.round_of(1), 1);
  EXPECT_EQ(budget.round_of(4), 1);
  EXPECT_EQ(budget.round_of(5), 2);
}

TEST(FieldError, CanCallItsFieldsByOtherNames) {
  const FieldError error({"minimum_pulls", "minimum_share"}, "too much");
  EXPECT_STREQ(error.what(), "minimum_pulls, minimum_share: too much");
  EXPECT_EQ(error.named([](const std::string& field) { return "/" + field; }),
            "/minimum_pulls, /minimum_share: too much");
  EXPECT_STREQ(FieldError({}, "too much").what(), "too much");
}

TEST(UnknownNameError, SuggestsANameAndKeepsTheListElsewhere) {
  const UnknownNameError error("policy", "gredy", {"spo", "greedy"});
  EXPECT_STREQ(error.what(), "unknown policy 'gredy'; did you mean 'greedy'?");
  const UnknownNameError in_file(error, fmt::format("x.toml: line 4: {}", error.what()));
  EXPECT_STREQ(in_file.what(), "x.toml: line 4: unknown policy 'gredy'; did you mean 'greedy'?");
  EXPECT_EQ(in_file.kind(), "policy");
  EXPECT_EQ(in_file.known(), (std::vector<std::string>{"spo", "greedy"}));
}

}  // namespace
}  // namespace longrun
