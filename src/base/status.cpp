#include "penstock/status.hpp"

#include <array>

namespace penstock {

struct Status::Body {
  Code code;
  std::string message;
  std::vector<std::string> context;
};

std::string_view name_of(Code code) {
  constexpr std::array<std::string_view, 14> names = {
      "ok",        "invalid",   "unsupported", "corrupt",     "truncated", "overflow",  "capacity",
      "no memory", "no device", "compile",     "device lost", "io",        "cancelled", "internal"};
  return names[static_cast<std::size_t>(code)];
}

Status::Status(Code code, std::string message)
    : body_(code == Code::ok ? nullptr
                             : std::make_shared<Body>(Body{code, std::move(message), {}})) {}

Code Status::code() const { return body_ ? body_->code : Code::ok; }

const std::string& Status::message() const {
  static const std::string none;
  return body_ ? body_->message : none;
}

const std::vector<std::string>& Status::context() const {
  static const std::vector<std::string> none;
  return body_ ? body_->context : none;
}

Status Status::with(std::string context) const {
  if (ok()) return *this;
  auto body = std::make_shared<Body>(*body_);
  body->context.push_back(std::move(context));
  Status status;
  status.body_ = std::move(body);
  return status;
}

std::string Status::text() const {
  if (ok()) return "ok";
  std::string text = std::string(name_of(body_->code)) + ": " + body_->message;
  for (const std::string& line : body_->context) text += " (" + line + ")";
  return text;
}

}  // namespace penstock
