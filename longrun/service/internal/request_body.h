#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longrun {

/// Returns the JSON object that a text is. Throws RequestError for another text, and for an object that is nested too
/// deeply, has too many fields, or has one twice; errors call it `what`.
nlohmann::ordered_json parsed_object(const std::string& text, std::string_view what);

/// The body of a request: a JSON object whose fields are read one by one. What is missing, of another type, not known
/// or given twice is a RequestError with a JSON pointer to it.
class RequestBody {
 public:
  /// Reads a text. An empty one is an empty object.
  explicit RequestBody(const std::string& text);

  bool has(const char* field);
  std::string text(const char* field);
  std::int64_t whole_number(const char* field);
  double number(const char* field);
  bool boolean(const char* field);
  std::vector<std::string> texts(const char* field);
  const nlohmann::ordered_json& json(const char* field);  ///< of any type
  RequestBody object(const char* field);
  /// Returns the objects of a list.
  std::vector<RequestBody> objects(const char* field);

  /// Throws RequestError if the body has a field that was not asked for.
  void check_all_known() const;
  /// Returns the JSON pointer to a field.
  std::string pointer(std::string_view field) const;
  /// Returns the JSON pointer to a field of an object that is a field.
  std::string pointer_in(std::string_view object, std::string_view field) const;

 private:
  RequestBody(nlohmann::ordered_json json, std::string pointer);

  nlohmann::ordered_json json_;
  std::string pointer_;             // to json_ in the body
  std::vector<std::string> known_;  // fields that were asked for
};

}  // namespace longrun
