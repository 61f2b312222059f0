#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longrun/service/http_server.h"

namespace longrun {

/// Returns the file of the page at a path ("/" is the page itself), or nullopt. The files are part of the program.
std::optional<HttpResponse> page_file(const std::string& path);

/// Returns the names of all files of the page, which are their paths without the slash.
std::vector<std::string> page_file_names();

}  // namespace longrun
