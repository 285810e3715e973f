import { html, Html } from '#platform/http/page/html'

const STRING = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`
const NUMBER = String.raw`\b\d[\d_]*(?:\.\d+)?\b`
const words = (text: string): string => String.raw`\b(?:${text.replaceAll(' ', '|')})\b`

interface Syntax {
  comment: string
  string: string
  word: string
  name: string
}

const TYPESCRIPT: Syntax = {
  comment: String.raw`//[^\n]*|/\*[\s\S]*?\*/`,
  string: String.raw`${STRING}|${'`'}(?:\\.|[^${'`'}\\])*${'`'}`,
  word: words(
    'import from export const let new await async function return for of if else try catch throw type interface class extends null true false undefined',
  ),
  name: String.raw`\b\w+(?=:)`,
}

/** Few patterns are enough for the short programs of the documentation. */
const SYNTAXES: Readonly<Record<string, Syntax>> = {
  ts: TYPESCRIPT,
  js: TYPESCRIPT,
  sh: {
    comment: String.raw`(?<=^|\s)#[^\n]*`,
    string: STRING,
    word: String.raw`(?<=^|[;&|(]\s*|\n)(?:curl|export|npm|node|svc|for|in|do|done|until|while|wait)\b`,
    name: String.raw`\$\w+|(?<=\s)--?[a-zA-Z][\w-]*`,
  },
  python: {
    comment: String.raw`#[^\n]*`,
    string: STRING,
    word: words('import from as def return for in if else with while try except raise None True False'),
    name: String.raw`\b\w+(?==)`,
  },
  json: {
    comment: String.raw`//[^\n]*`,
    string: STRING,
    word: words('null true false'),
    name: String.raw`"[^"\n]*"(?=:)`,
  },
  sql: {
    comment: String.raw`--[^\n]*`,
    string: STRING,
    word: words(
      'create table index on primary key references not null check constraint where is in text uuid',
    ),
    name: String.raw`\b\w+(?= uuid| text| timestamptz)`,
  },
}

const KINDS = ['comment', 'name', 'string', 'word'] as const
const patterns = new Map(
  Object.entries(SYNTAXES).map(([language, syntax]) => [
    language,
    new RegExp([...KINDS.map(kind => `(?<${kind}>${syntax[kind]})`), `(?<number>${NUMBER})`].join('|'), 'g'),
  ]),
)

/** What stands for the caller's own key in samples; the script of the page fills it in. */
const KEY = /(?:sk|rk|sa)_YOUR_KEY/g

/** A code sample as markup, with comments, texts and words of its language in elements of their own. */
export function highlight(code: string, language: string): Html {
  const pattern = patterns.get(language)
  const parts: Html[] = []
  let end = 0
  for (const found of pattern ? code.matchAll(pattern) : []) {
    const [kind] = Object.entries(found.groups ?? {}).find(([, text]) => text !== undefined) ?? ['word']
    parts.push(html`${code.slice(end, found.index)}<span class="code-${kind}">${found[0]}</span>`)
    end = found.index + found[0].length
  }
  const marked = html`${parts}${code.slice(end)}`.text
  return new Html(marked.replaceAll(KEY, key => `<var data-key="${key.slice(0, 2)}">${key}</var>`))
}
