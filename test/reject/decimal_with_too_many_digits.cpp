// says: the_text_is_not_a_decimal_of_this_precision_and_scale

constexpr decimal<3, 2> rate("0.055");
