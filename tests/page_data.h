#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace longrun {

/// The JSON data of a page. JSON pointers such as "/groups/0/figures/0/name" name its values; a value that does not
/// exist or has another type is an exception, which fails the test. Only page_data_test.cpp compiles the JSON library.
class PageData {
 public:
  explicit PageData(const std::string& page);
  PageData(const PageData&) = delete;
  PageData& operator=(const PageData&) = delete;
  ~PageData();

  std::string text(std::string_view pointer) const;
  double number(std::string_view pointer) const;
  bool flag(std::string_view pointer) const;
  std::size_t size(std::string_view pointer) const;
  std::vector<double> numbers(std::string_view pointer) const;
  std::vector<std::string> texts(std::string_view pointer) const;
  /// Returns any value as JSON without spaces.
  std::string json(std::string_view pointer) const;

 private:
  const nlohmann::json& at(std::string_view pointer) const;
  std::unique_ptr<nlohmann::json> data_;
};

/// Returns the content of the data element as a browser reads it: up to the first end tag.
std::string data_text(const std::string& page);

/// Returns how often `part` occurs in `text`.
std::size_t occurrences(const std::string& text, std::string_view part);

/// Expects that the page loads no other file, and that its security policy forbids it.
void expect_self_contained(const std::string& page);

/// Expects that every placeholder was replaced, and that no text opens or closes an element.
void expect_whole(const std::string& page);

}  // namespace longrun
