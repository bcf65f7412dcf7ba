// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/controller/api/openapi/schema_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace roceready::openapi {
namespace {

bool IsOfType(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == "boolean" && value.is_boolean();
}

void Add(std::vector<std::string>& to, std::vector<std::string> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

std::vector<std::string> MisfitsOfObject(const Json& document, const Json& schema,
                                         const Json& value, const std::string& place) {
  std::vector<std::string> misfits;
  for (const Json& name : schema.value("required", Json::array())) {
    if (!value.contains(name)) misfits.push_back(fmt::format("{}: no {}", place, name.dump()));
  }
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, member] : value.items()) {
    const std::string where = place + "." + name;
    if (properties.contains(name)) {
      Add(misfits, Misfits(document, properties[name], member, where));
    } else if (schema.contains("additionalProperties")) {
      Add(misfits, Misfits(document, schema["additionalProperties"], member, where));
    } else {
      misfits.push_back(where + " is unknown");
    }
  }
  return misfits;
}

std::vector<std::string> MisfitsOfText(const Json& schema, const std::string& text,
                                       const std::string& place) {
  std::vector<std::string> misfits;
  if (schema.contains("enum")) {
    const Json& names = schema["enum"];
    if (std::find(names.begin(), names.end(), text) == names.end()) {
      misfits.push_back(fmt::format("{}: \"{}\" is no value of the enum", place, text));
    }
  }
  std::string pattern = schema.value("pattern", "");
  if (schema.value("format", "") == "date-time") {
    pattern = R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)";
  }
  if (schema.value("contentEncoding", "") == "base64") pattern = "[A-Za-z0-9+/]*=*";
  if (!pattern.empty() && !std::regex_match(text, std::regex(pattern))) {
    misfits.push_back(fmt::format("{}: \"{}\" is not like {}", place, text, pattern));
  }
  return misfits;
}

Json ExampleOfText(const Json& schema) {
  if (schema.contains("examples")) return schema["examples"][0];
  if (schema.contains("enum")) return schema["enum"].back();
  const std::string format = schema.value("format", "");
  if (format == "date-time") return "2026-01-02T03:04:05Z";
  if (format == "int64" || format == "uint64") return "7";
  return schema.contains("contentEncoding") ? "AQID" : "word";
}

// Objects that the value is within, by their place in the document: none is within itself.
using Above = std::vector<const Json*>;

Json ExampleWithin(const Json& document, const Json& schema_or_reference, Above above) {
  const Json& schema = Resolved(document, schema_or_reference);
  const std::string type = schema["type"];
  if (type == "string") return ExampleOfText(schema);
  if (type == "boolean") return true;
  if (type == "integer") return 3;
  if (type == "number") return 0.5;
  if (type == "array") {
    const Json one = ExampleWithin(document, schema["items"], above);
    return one.is_null() ? Json::array() : Json::array({one});
  }
  if (std::find(above.begin(), above.end(), &schema) != above.end()) return nullptr;
  above.push_back(&schema);
  Json object = Json::object();
  if (schema.contains("additionalProperties")) {
    object["key"] = ExampleWithin(document, schema["additionalProperties"], above);
  }
  if (!schema.contains("properties")) return object;
  for (const auto& [name, member] : schema["properties"].items()) {
    Json value = ExampleWithin(document, member, above);
    if (!value.is_null()) object[name] = std::move(value);
  }
  return object;
}

}  // namespace

const Json& Resolved(const Json& document, const Json& schema) {
  if (!schema.contains("$ref")) return schema;
  return document.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1)));
}

std::vector<std::string> Misfits(const Json& document, const Json& schema_or_reference,
                                 const Json& value, const std::string& place) {
  const Json& schema = Resolved(document, schema_or_reference);
  if (!IsOfType(value, schema["type"])) {
    return {fmt::format("{}: {} is no {}", place, value.dump(), schema["type"].dump())};
  }
  if (value.is_object()) return MisfitsOfObject(document, schema, value, place);
  if (value.is_string()) return MisfitsOfText(schema, value, place);
  std::vector<std::string> misfits;
  if (value.is_number() && schema.contains("minimum") && value < schema["minimum"]) {
    misfits.push_back(fmt::format("{}: {} is too small", place, value.dump()));
  }
  if (value.is_array()) {
    for (const Json& item : value) {
      Add(misfits, Misfits(document, schema["items"], item, place + "[]"));
    }
  }
  return misfits;
}

Json ExampleOf(const Json& document, const Json& schema) {
  return ExampleWithin(document, schema, {});
}

}  // namespace roceready::openapi
