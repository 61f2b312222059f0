#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace longrun {

/// Returns the details of an entry as they are stored (LogEntry): one line of ASCII.
std::string details_text(const nlohmann::ordered_json& details);

}  // namespace longrun
