#include "longrun/data/column_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "longrun/data/same_look.h"

namespace longrun {
namespace {

/// Returns the name with a blank before each capital letter after a small one: dueDate is two words.
std::string with_split_words(std::string_view column) {
  std::string split;
  for (const char c : column) {
    const bool begins_word = c >= 'A' && c <= 'Z' && !split.empty() && split.back() >= 'a' && split.back() <= 'z';
    if (begins_word) split += ' ';
    split += c;
  }
  return split;
}

/// Returns the words of the name of a column: letters between other characters, without accents.
std::vector<std::string> words_of(std::string_view column) {
  std::vector<std::string> words(1);
  for (const char c : same_look(with_split_words(column))) {
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    if (c >= 'a' && c <= 'z') words.back() += c;
    if (is_ascii && !(c >= 'a' && c <= 'z') && !words.back().empty()) words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

template <std::size_t count>
bool is_listed(std::string_view word, const std::array<std::string_view, count>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Returns whether the name of a column contains one of the words, between characters that are not letters.
template <std::size_t count>
bool has_word(std::string_view column, const std::array<std::string_view, count>& words) {
  const std::vector<std::string> parts = words_of(column);
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) { return is_listed(part, words); });
}

constexpr std::array<std::string_view, 43> kTimeWords{
    "round",       "time",      "date",    "day",      "week",    "month",     "quarter",
    "year",        "hour",      "minute",  "second",   "period",  "step",      "timestamp",
    "when",        "created",   "updated", "datetime", "ts",      "yyyymm",    "yyyymmdd",  // English
    "datum",       "jahr",      "monat",   "woche",    "quartal", "periode",   "zeitpunkt",
    "zeitstempel", "fecha",     "dia",     "semana",   "mes",     "trimestre", "ano",  // Spanish, Portuguese
    "jour",        "semaine",   "mois",    "annee",                                    // French
    "giorno",      "settimana", "mese",    "anno"};                                    // Italian
/// The ends of longer German words that are times, such as Buchungstag. No year: a Baujahr is that of a building.
constexpr std::array<std::string_view, 5> kTimeEnds{"tag", "datum", "woche", "monat", "quartal"};
/// The ends of German words that are no times, or kinds of days.
constexpr std::array<std::string_view, 15> kOtherEnds{"hashtag",    "feiertag",  "werktag", "wochentag", "arbeitstag",
                                                      "ruhetag",    "monatstag", "montag",  "dienstag",  "freitag",
                                                      "donnerstag", "samstag",   "sonntag", "jahrestag", "mittag"};
/// Words of dates that are not those of a pull, but attributes of an arm or of a customer.
// clang-format off
constexpr std::array<std::string_view, 70> kOtherDateWords{
    // English
    "birth", "birthday", "birthdate", "birthyear", "born", "dob", "due", "duedate", "expiry", "expires",
    "expiration", "expirydate", "maturity", "deadline", "built", "release", "released", "releasedate",
    "releaseyear", "vintage", "modelyear", "founded", "founding", "foundation", "established", "inception",
    "manufactured", "manufacture", "construction", "constructed", "publication", "published", "hire", "hired",
    "hiredate", "joined", "graduation", "warranty", "death", "last", "previous", "next", "expected", "planned",
    // German
    "geburtstag", "geburtsdatum", "geburtsjahr", "falligkeit", "falligkeitsdatum", "faelligkeitsdatum",
    "ablaufdatum", "baujahr", "jahrgang", "erscheinungsdatum", "erscheinungsjahr", "grundungsdatum",
    "grundungsjahr", "gruendungsdatum", "gruendungsjahr", "erstzulassung", "einstellungsdatum", "eintrittsdatum",
    // Spanish, French, Portuguese, Italian
    "nacimiento", "vencimiento", "naissance", "echeance", "nascimento", "vencimento", "nascita", "scadenza"};
// clang-format on
/// Words of times at which something ends, or that follow a pull.
constexpr std::array<std::string_view, 29> kLaterWords{
    "end",      "ends",      "ended",       "ending",  "finish",      "finished", "closed",    "closing",
    "until",    "delivery",  "delivered",   "shipped", "shipping",    "shipment", "paid",      "payment",
    "returned", "cancelled", "canceled",    "updated", "modified",    "changed",  "completed", "renewal",
    "ende",     "enddatum",  "lieferdatum", "bis",     "vertragsende"};
/// Words of numbers that are spans of time.
constexpr std::array<std::string_view, 12> kSpanWords{"spent", "response", "elapsed", "wait",  "waiting", "lead",
                                                      "load",  "delivery", "travel",  "watch", "play",    "processing"};
/// The units of spans; also in plural.
constexpr std::array<std::string_view, 9> kUnits{"time", "second", "minute",  "hour", "day",
                                                 "week", "month",  "quarter", "year"};
/// Words of numbers that begin again.
constexpr std::array<std::string_view, 3> kClockWords{"hour", "minute", "second"};
constexpr std::array<std::string_view, 9> kCountWords{"id",  "index", "number",   "nr",  "no",
                                                      "row", "seq",   "sequence", "pull"};
/// Words of numbers that count pulls: those of an arm, or of all.
constexpr std::array<std::string_view, 5> kPullWords{"pull", "decision", "trial", "seq", "sequence"};

/// Words that are ids, and what a word for a thing may end with.
constexpr std::array<std::string_view, 14> kIdWords{"id",  "ids",    "uuid",   "guid", "key",       "no",     "nr",
                                                    "num", "number", "nummer", "ref",  "reference", "numero", "code"};
/// Words of things that happen once.
constexpr std::array<std::string_view, 37> kEventWords{
    "order",   "loan",       "transaction", "invoice",  "ticket",   "case",      "receipt",     "booking",
    "request", "purchase",   "payment",     "claim",    "contract", "event",     "impression",  "click",
    "trial",   "shipment",   "delivery",    "record",   "row",      "entry",     "application", "observation",
    "bestell", "bestellung", "auftrag",     "auftrags", "rechnung", "rechnungs", "vertrag",     "vertrags",
    "beleg",   "pedido",     "factura",     "commande", "ordine"};
/// Words of persons and of what they use again.
constexpr std::array<std::string_view, 21> kPersonWords{
    "customer", "client",  "user",    "patient", "member",      "subscriber", "account",
    "visitor",  "person",  "student", "driver",  "participant", "employee",   "household",
    "device",   "session", "kunde",   "kunden",  "cliente",     "mandant",    "contact"};

/// Returns the word without an id word at its end: order for orderid.
std::string_view without_id(std::string_view word) {
  for (const std::string_view id : kIdWords) {
    if (word.size() > id.size() && word.ends_with(id)) return word.substr(0, word.size() - id.size());
  }
  return word;
}

bool is_unit(std::string_view word) {
  if (word.ends_with('s')) word.remove_suffix(1);
  return is_listed(word, kUnits);
}

}  // namespace

bool is_called_like_a_time(std::string_view column) {
  if (has_word(column, kTimeWords)) return true;
  const std::vector<std::string> words = words_of(column);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    const auto ends_with = [&](std::string_view end) { return word.ends_with(end); };
    return std::none_of(kOtherEnds.begin(), kOtherEnds.end(), ends_with) &&
           std::any_of(kTimeEnds.begin(), kTimeEnds.end(),
                       [&](std::string_view end) { return word.size() > end.size() && word.ends_with(end); });
  });
}

bool is_called_like_another_date(std::string_view column) {
  if (has_word(column, kOtherDateWords)) return true;
  const std::vector<std::string> words = words_of(column);
  if (!words.empty() && words.back() == "since") return true;  // customer since, but not time since start
  constexpr std::array<std::string_view, 2> kModelYear{"model", "year"};
  return std::search(words.begin(), words.end(), kModelYear.begin(), kModelYear.end()) != words.end();
}

bool is_called_like_a_later_time(std::string_view column) { return has_word(column, kLaterWords); }

bool is_called_like_a_span(std::string_view column) {
  if (has_word(column, kSpanWords)) return true;
  std::vector<std::string> words = words_of(column);
  std::erase(words, "the");
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool after_unit = i > 0 && is_unit(words[i - 1]);
    const bool before_unit = i + 1 < words.size() && is_unit(words[i + 1]);
    if (words[i] == "of" && after_unit && before_unit) return true;     // day of the week
    if (words[i] == "to" && after_unit) return true;                    // days to delivery
    if (words[i] == "per" && (after_unit || before_unit)) return true;  // time per page, pages per day
    if (words[i] == "on" && i > 0 && words[i - 1] == "time") return true;
  }
  return false;
}

bool is_called_like_a_clock(std::string_view column) { return has_word(column, kClockWords); }
bool is_called_like_a_count(std::string_view column) { return has_word(column, kCountWords); }
IdOf ids_of(std::string_view column) {
  const std::vector<std::string> words = words_of(column);
  if (words.empty() || is_called_like_a_time(column)) return IdOf::nothing;
  const bool has_id = is_listed(words.front(), kIdWords) || is_listed(words.back(), kIdWords);
  const bool is_person = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return is_listed(word, kPersonWords) || is_listed(without_id(word), kPersonWords);
  });
  const auto is_event = [](const std::string& word) {
    return is_listed(word, kEventWords) || is_listed(without_id(word), kEventWords);
  };
  // The price of an order is none, but an order is, and so is the id of anything.
  if (!has_id && (words.size() > 1 || (!is_person && !is_event(words[0])))) return IdOf::nothing;
  return is_person ? IdOf::a_person : IdOf::an_event;
}

bool is_called_like_a_number_of_pulls(std::string_view column) { return has_word(column, kPullWords); }

}  // namespace longrun
