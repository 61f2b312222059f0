#include "longrun/data/label_typo.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace longrun {
namespace {

constexpr std::size_t kShortestWord = 5;  // letters; a letter of a shorter word makes another word
/// Endings that make another form of a word, or another name: controls, advanced, Erika, Marie.
constexpr std::u32string_view kEndings = U"aeioyudnrs";

/// Words that differ as a typo would.
constexpr std::array<std::pair<std::u32string_view, std::u32string_view>, 38> kDifferentWords{{
    {U"angel", U"angle"},     {U"adapt", U"adopt"},         {U"black", U"block"},      {U"bread", U"broad"},
    {U"casual", U"causal"},   {U"christian", U"christina"}, {U"coast", U"coat"},       {U"county", U"country"},
    {U"diary", U"dairy"},     {U"desert", U"dessert"},      {U"fiction", U"friction"}, {U"flight", U"fight"},
    {U"frances", U"francis"}, {U"house", U"horse"},         {U"iceland", U"ireland"},  {U"inner", U"inter"},
    {U"karen", U"karin"},     {U"lightning", U"lighting"},  {U"macro", U"micro"},      {U"marten", U"martin"},
    {U"medal", U"metal"},     {U"morning", U"mourning"},    {U"pants", U"paints"},     {U"plane", U"plate"},
    {U"price", U"prize"},     {U"price", U"pride"},         {U"quiet", U"quite"},      {U"sever", U"server"},
    {U"shirt", U"short"},     {U"small", U"smell"},         {U"stake", U"steak"},      {U"stationary", U"stationery"},
    {U"store", U"stone"},     {U"though", U"through"},      {U"trial", U"trail"},      {U"united", U"untied"},
    {U"upload", U"unload"},   {U"white", U"while"},
}};

/// Returns the word around a place of a text: its beginning and its end.
std::pair<std::size_t, std::size_t> word_around(std::u32string_view text, std::size_t place) {
  std::size_t begin = place;
  std::size_t end = place;
  while (begin > 0 && is_alphabetic(text[begin - 1])) --begin;
  while (end < text.size() && is_alphabetic(text[end])) ++end;
  return {begin, end};
}

bool are_different_words(std::u32string_view one, std::u32string_view other) {
  return std::any_of(kDifferentWords.begin(), kDifferentWords.end(), [&](const auto& pair) {
    return (pair.first == one && pair.second == other) || (pair.first == other && pair.second == one);
  });
}

/// Returns whether two texts of the same length, which differ from `place` on, differ by one letter or by two
/// neighbours that are exchanged.
bool is_replaced_or_exchanged(std::u32string_view label, std::u32string_view meant, std::size_t place) {
  const auto [begin, end] = word_around(meant, place);
  if (end - begin < kShortestWord || !is_alphabetic(label[place])) return false;
  if (label.substr(place + 1) == meant.substr(place + 1)) return place > begin && place + 1 < end;
  const bool is_exchanged = place + 1 < end && label[place] == meant[place + 1] && label[place + 1] == meant[place] &&
                            label.substr(place + 2) == meant.substr(place + 2);
  return is_exchanged;
}

/// Returns whether the longer text has one letter more, at `place`, in a place where words do not differ by it.
bool has_one_letter_more(std::u32string_view longer, std::u32string_view shorter, std::size_t place, bool is_left_out) {
  if (longer.substr(place + 1) != shorter.substr(place) || !is_alphabetic(longer[place])) return false;
  const auto [begin, end] = word_around(longer, place);
  if (end - begin < kShortestWord) return false;
  const bool is_doubled = place > begin && longer[place - 1] == longer[place];
  if (is_doubled && end - begin > kShortestWord) return true;  // also if it is the last one
  if (place == begin) return false;
  if (place + 1 < end) return true;
  return is_left_out && kEndings.find(longer[place]) == std::u32string_view::npos;
}

}  // namespace

bool is_alphabetic(char32_t character) {
  return (character >= U'a' && character <= U'z') || (character >= U'A' && character <= U'Z') ||
         (character >= 0xC0 && character <= 0x52F && character != 0xD7 && character != 0xF7);
}

bool is_probable_typo(std::u32string_view label, std::u32string_view meant) {
  const auto [at, at_meant] = std::mismatch(label.begin(), label.end(), meant.begin(), meant.end());
  if (at == label.end() && at_meant == meant.end()) return false;
  const auto place = static_cast<std::size_t>(at - label.begin());
  bool is_typo = false;
  if (label.size() == meant.size()) is_typo = is_replaced_or_exchanged(label, meant, place);
  if (label.size() + 1 == meant.size()) is_typo = has_one_letter_more(meant, label, place, true);
  if (label.size() == meant.size() + 1) is_typo = has_one_letter_more(label, meant, place, false);
  if (!is_typo) return false;
  const auto [begin, end] = word_around(label, place);
  const auto [begin_meant, end_meant] = word_around(meant, place);
  return !are_different_words(label.substr(begin, end - begin), meant.substr(begin_meant, end_meant - begin_meant));
}

}  // namespace longrun
