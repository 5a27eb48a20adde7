// says: Col: this type is not supported; use bool, an integer of 8 to 64 bits, float, double, date,
// timestamp, decimal<P, S>, str

struct Wide {
  Col<"x", long double> x;
};
auto broken(Table table) { return from<Wide>(table).count(); }
