// says: Col: this type is not supported

struct Letters {
  Col<"x", char> x;
};
auto broken(Table table) { return from<Letters>(table).count(); }
