/** The title stands near the start of a document. A search of the whole would take quadratic time. */
const HEAD = 64 * 1024
const [LESS, GREATER, SPACE] = [60, 62, 32]
/** 1 for each code that `\s` matches. */
const SPACES = Uint8Array.from({ length: 0x1_00_00 }, (_, code) =>
  Number(/\s/.test(String.fromCharCode(code))),
)

/** The title of an HTML document, at most 300 characters. */
export const titleOf = (html: string): string | null =>
  /<title\b[^<>]{0,200}>([^<]{1,300})/i.exec(html.slice(0, HEAD))?.[1]?.trim() ?? null

/** Whether a text contains another one. How words are broken into lines does not matter. Linear time, because both texts are untrusted. */
export const holds = (text: string, expected: string): boolean => search(text, expected, -1)

/** The same for an HTML document: as it is written, or without its tags. */
export function holdsInHtml(html: string, expected: string): boolean {
  const lastTagEnd = html.lastIndexOf('>')
  return holds(html, expected) || (lastTagEnd >= 0 && search(html, expected, lastTagEnd))
}

// Knuth-Morris-Pratt over the text with runs of white space as one space. `includes` is quadratic on repetitive
// text, and a copy of the text without tags costs far more than this one pass. A tag is what starts before `lastTagEnd`.
function search(text: string, expected: string, lastTagEnd: number): boolean {
  const words = expected.replace(/\s+/g, ' ').trim()
  const wanted = Uint16Array.from({ length: words.length }, (_, at) => words.charCodeAt(at))
  const failures = failuresOf(wanted)
  let matched = 0
  let inTag = false
  let afterSpace = false
  for (let at = 0; at < text.length && matched < wanted.length; at++) {
    const code = text.charCodeAt(at)
    if (inTag) {
      inTag = code !== GREATER
      continue
    }
    if (code === LESS && at < lastTagEnd) {
      inTag = true
      continue
    }
    const space = SPACES[code] === 1
    if (space && afterSpace) continue
    afterSpace = space
    matched = step(wanted, failures, matched, space ? SPACE : code)
  }
  return matched === wanted.length
}

function step(wanted: Uint16Array, failures: Uint16Array, matched: number, code: number): number {
  let length = matched
  while (length > 0 && wanted[length] !== code) length = failures[length - 1] ?? 0
  return wanted[length] === code ? length + 1 : 0
}

/** For each prefix the length of the longest one that it also ends with. */
function failuresOf(wanted: Uint16Array): Uint16Array {
  const failures = new Uint16Array(wanted.length)
  for (let at = 1; at < wanted.length; at++)
    failures[at] = step(wanted, failures, failures[at - 1] ?? 0, wanted[at] ?? 0)
  return failures
}
