#pragma once

#include <string_view>

namespace longrun {

/// Returns whether the name of a column contains a word for times, such as date, week or Buchungstag, in English,
/// German, Spanish, French, Portuguese or Italian. Kinds of days, such as Feiertag or Wochentag, are none.
bool is_called_like_a_time(std::string_view column);

/// Returns whether the name is that of a date that is not when a pull was made: birth, due, expires or the like.
bool is_called_like_another_date(std::string_view column);

/// Returns whether the name is that of a time after a pull: end, delivery, shipped, updated or the like.
bool is_called_like_a_later_time(std::string_view column);

/// Returns whether the name is that of a span of time, or of a day of a week or a month: response, days to,
/// time on, per day, day of week.
bool is_called_like_a_span(std::string_view column);

/// Returns whether the name contains hour, minute or second.
bool is_called_like_a_clock(std::string_view column);

/// Returns whether the name contains id, index, number or the like.
bool is_called_like_a_count(std::string_view column);

/// What the name of a column says about the numbers in it.
enum class IdOf {
  nothing,   ///< no ids
  an_event,  ///< ids of orders, loans or the like, of which each row of a log has another one; also "id" alone
  a_person   ///< ids of customers, users or the like, who may come back
};

/// Returns of what a column has ids, by its name: order_id, loan, "Bestellnr", customer.
IdOf ids_of(std::string_view column);

/// Returns whether the name contains pull, decision, trial or seq.
bool is_called_like_a_number_of_pulls(std::string_view column);

}  // namespace longrun
