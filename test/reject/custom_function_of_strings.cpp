// says: custom_function: parameters and result are fixed-width types, not str and not opt

auto broken() {
  return custom_function<int(str)>("size", {"x"}, "return 0;", [](auto) { return 0; });
}
