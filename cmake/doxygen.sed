# Turns ordinary comments into Doxygen's: a file's first comment describes the file, a comment on
# lines of its own what follows, and one after code what it follows.
1s,^// ?,/// \\file\n/// ,
1s,^/\* ?,/** \\file\n * ,
s,^( *)//( |$),\1///\2,
t
s,([;{},)]) +// ,\1  ///< ,
s,^( *)/\*( |$),\1/**\2,
s,([;{},)]) +/\* ,\1 /**< ,
