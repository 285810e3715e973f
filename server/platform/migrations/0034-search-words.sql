-- Texts and queries of a full-text search in one form: without accents, compatibility forms as plain characters, words that
-- a hyphen or an underscore joins as separate ones. Scripts that are written without spaces, and Korean with its particles,
-- are separated into characters: a query finds them as a phrase. A text in ASCII needs the second step alone.
create function platform_plain_letters(given text) returns text language sql immutable parallel safe
  return regexp_replace(
    normalize(regexp_replace(
      normalize(replace(replace(replace(translate(given, 'øØđĐłŁıẞ', 'oOdDlLiß'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), nfkd),
      '[\u0300-\u036f]', '', 'g'), nfc),
    '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff])',
    ' \1 ', 'g');
create function platform_search_words(given text) returns text language sql immutable parallel safe
  return regexp_replace(
    case when octet_length(given) = char_length(given) then given else platform_plain_letters(given) end,
    '([[:alnum:]])[-_](?=[[:alnum:]])', '\1 ', 'g');
