#include "longrun/service/page_files.h"

#include <span>
#include <string_view>

#include "longrun/base/embedded_file.h"

namespace longrun {

std::span<const EmbeddedFile> embedded_service_page();

namespace {

std::string_view type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/json";
}

}  // namespace

std::optional<HttpResponse> page_file(const std::string& path) {
  const std::string_view name = path == "/" ? "index.html" : std::string_view(path).substr(1);
  for (const EmbeddedFile& file : embedded_service_page()) {
    if (file.name != name) continue;
    // Everything comes from this server; nothing else is loaded, and no other page can show this one.
    return HttpResponse{.content_type = std::string(type_of(name)),
                        .body = std::string(file.text),
                        .headers = {{"cache-control", "no-cache"},
                                    {"x-content-type-options", "nosniff"},
                                    {"content-security-policy",
                                     "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
                                     "frame-ancestors 'none'"}}};
  }
  return std::nullopt;
}

std::vector<std::string> page_file_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_service_page()) names.emplace_back(file.name);
  return names;
}

}  // namespace longrun
