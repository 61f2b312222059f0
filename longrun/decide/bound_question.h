#pragma once

#include <string>
#include <string_view>

namespace longrun {

/// Returns the largest future reward of an arm, as one line of JSON: {"bound": 9.7}. The question is a JSON object:
///
///   {"lower": [0.1, 0.3], "upper": [0.2, 0.4], "remaining": 10}
///
/// The mean reward of past pull j is between lower[j] and upper[j], and `remaining` pulls follow. The bound is that of
/// optimistic_future(), or null if it has none; if that is because an interval contains no mean reward, "reason" names
/// the interval. Throws InputError, which names the field, for any other text.
std::string bound_answer(std::string_view question);

}  // namespace longrun
