"""Finds sentences of documents and comments that a native reader stumbles over.

A sentence begins with its subject, not with Of, Where, What, Who, Those or Others. It has no
pronoun without a noun ("others'", "one's", "another's") and one "where" at most. A text has at
most one "whose" or "those of" in 1000 words; a shorter one may have one.
"""

import re

OPENING = re.compile(r"(Of|Where|What|Who|Those|Others)\b")
POSSESSIVE = re.compile(r"\b(others'(?!\w)|one's\b|another's\b)", re.IGNORECASE)
WHERE = re.compile(r"\b[Ww]here\b")
RELATIVE = re.compile(r"\b(?:whose|those\s+of)\b", re.IGNORECASE)
RELATIVES_PER_1000_WORDS = 1.0

SLASH_COMMENT = re.compile(r"(?:^|\s)//[/!]?<?\s?(?P<text>.*)$|^\s*(?:/\*\*?|\*)\s(?P<block>.*)$")
HASH_COMMENT = re.compile(r"(?:^|\s)#\s?(?P<text>.*)$")
HASH_SUFFIXES = {".py", ".sh", ".cmake", ".txt"}


def plain(text):
    """Returns a text whose code and links are a word each."""
    text = re.sub(r"`[^`]*`", "Code", text)
    return re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)


def sentences(text):
    """Returns the sentences of a paragraph. A colon before a capital letter ends one."""
    return re.split(r"(?<=[.?!])[\"')*_]*\s+(?=[\"'(\[*_]*[A-Z0-9])|:\s+(?=[A-Z])", plain(text))


def comments(path):
    """Yields (line number, text) of each comment. Lines of comment alone continue the one before.
    A Python docstring is no comment here."""
    pattern = HASH_COMMENT if path.suffix in HASH_SUFFIXES else SLASH_COMMENT
    number, text = 0, ""
    for at, line in enumerate(path.read_text().splitlines() + [""], 1):
        found = pattern.search(line)
        words = "".join(found.group(group) or "" for group in found.groupdict()) if found else ""
        is_alone = found is not None and not line[: found.start()].strip()
        begins = not words.strip() or not is_alone or re.match(r"\s*[-*] ", words)
        if begins and text:
            yield number, text
            text = ""
        if words.strip():
            number = number if text else at
            text += " " + re.sub(r"^\s*[-*] |\*/\s*$", "", words).strip()


def wrong_with(sentence):
    """Returns what a reader stumbles over in a sentence, or None."""
    if opening := OPENING.match(sentence.lstrip(" \"'([*_")):
        return f'begins with "{opening.group()}"'
    if possessive := POSSESSIVE.search(sentence):
        return f'has "{possessive.group()}"'
    return 'has "where" twice' if len(WHERE.findall(sentence)) > 1 else None


def stumbles(name, paragraphs):
    """Yields an error for each sentence of the (line number, text) that stumbles, and one for a
    text that has many relative pronouns."""
    words, relatives = 0, []
    for number, text in paragraphs:
        words += len(plain(text).split())
        relatives += [number] * len(RELATIVE.findall(plain(text)))
        for sentence in sentences(text):
            if wrong := wrong_with(sentence):
                yield f"{name}:{number}: a sentence {wrong}: {sentence.strip()[:80]}"
    allowed = max(1, int(words * RELATIVES_PER_1000_WORDS / 1000))
    if len(relatives) > allowed:
        lines = ", ".join(map(str, relatives))
        yield f'{name}: {len(relatives)} of "whose" and "those of", {allowed} at most: lines {lines}'
