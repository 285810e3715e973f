import { Marked, type Token, type Tokens } from 'marked'
import { html, Html } from '#platform/http/page/html'
import { highlight } from './highlight.ts'

export interface Heading {
  level: number
  id: string
  text: string
}

export interface RenderedText {
  content: Html
  headings: readonly Heading[]
}

/** A heading with the text below it, for the search. */
export interface TextSection extends Heading {
  body: string
}

const LABELS: Readonly<Record<string, string>> = {
  sh: 'Shell',
  ts: 'TypeScript',
  js: 'JavaScript',
  python: 'Python',
  json: 'JSON',
  sql: 'SQL',
  diff: 'Change',
}

/** Samples of the same request in several languages follow each other, and are shown one at a time. */
const ALTERNATIVES = new Set(['sh', 'ts', 'js', 'python'])

const code = (token: Tokens.Code): Html => {
  const language = token.lang ?? ''
  const label = LABELS[language] ?? ''
  return html`<div class="sample" data-language="${language}">
    <p class="language">${label}</p>
    <pre tabindex="0"><code>${highlight(token.text, language)}</code></pre>
  </div>`
}

/** An id as GitHub makes it, so that links between the files work in both places. */
export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

/** The id of a heading that names one, as `## Create an agent {#createAgent}` does. */
const OWN_ID = / \{#([\w-]+)\}$/

export const withoutIds = (text: string): string => text.replaceAll(/^(#+ .*) \{#[\w-]+\}$/gm, '$1')

function headingOf(token: Tokens.Heading, taken: Map<string, number>): Heading {
  const [, own] = OWN_ID.exec(token.text) ?? []
  const text = plainText(token.text.replace(OWN_ID, ''))
  const slug = own ?? slugOf(text)
  const count = taken.get(slug) ?? 0
  taken.set(slug, count + 1)
  return { level: token.depth, id: count ? `${slug}-${count}` : slug, text }
}

/** Without the marks of code, emphasis and links. */
const plainText = (text: string): string =>
  text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading'
const isCode = (token: Token): token is Tokens.Code => token.type === 'code'
const isAlternative = (token: Token): token is Tokens.Code =>
  isCode(token) && ALTERNATIVES.has(token.lang ?? '')

/** Renders Markdown of the project. */
export function renderMarkdown(text: string): RenderedText {
  const marked = projectMarked()
  const tokens = marked.lexer(text)
  const taken = new Map<string, number>()
  const headings: Heading[] = []
  const parts: Html[] = []
  for (const token of groupAlternatives(tokens)) {
    if (Array.isArray(token)) parts.push(html`<div class="samples">${token.map(code)}</div>`)
    else if (isHeading(token)) {
      const heading = headingOf(token, taken)
      headings.push(heading)
      const inner = marked.parseInline(token.text.replace(OWN_ID, ''), { async: false })
      const [open, close] = [`<h${token.depth} id="${heading.id}">`, `</h${token.depth}>`]
      const anchor =
        token.depth > 1
          ? ` <a class="anchor" href="#${heading.id}" aria-label="Link to this section">#</a>`
          : ''
      parts.push(new Html(open + inner + anchor + close))
    } else parts.push(new Html(marked.parser([token])))
  }
  return { content: html`${parts}`, headings }
}

/** Runs of samples in different languages as lists, every other token by itself. */
function groupAlternatives(tokens: readonly Token[]): (Token | Tokens.Code[])[] {
  const groups: (Token | Tokens.Code[])[] = []
  for (const token of tokens.filter(({ type }) => type !== 'space')) {
    const last = groups.at(-1)
    if (!isAlternative(token)) groups.push(token)
    else if (Array.isArray(last) && !last.some(({ lang }) => lang === token.lang)) last.push(token)
    else groups.push([token])
  }
  return groups
}

function projectMarked(): Marked {
  return new Marked({
    renderer: {
      code: token => code(token).text,
      // The files contain no markup, only comments for the tools that write them.
      html: () => '',
      image: ({ text }) => html`${text}`.text,
      table({ header, rows }) {
        const cell = (name: 'th' | 'td') => (each: Tokens.TableCell) =>
          // A heading without words is none.
          `<${each.text ? name : 'td'}>${this.parser.parseInline(each.tokens)}</${each.text ? name : 'td'}>`
        const head = header.some(({ text }) => text)
          ? `<thead><tr>${header.map(cell('th')).join('')}</tr></thead>`
          : ''
        const body = rows.map(row => `<tr>${row.map(cell('td')).join('')}</tr>`).join('')
        return `<div class="table" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>`
      },
    },
  })
}

/** The sections of a text with their plain words. */
export function sectionsOf(text: string): TextSection[] {
  const taken = new Map<string, number>()
  const sections: TextSection[] = []
  for (const token of new Marked().lexer(text)) {
    const last = sections.at(-1)
    if (isHeading(token)) sections.push({ ...headingOf(token, taken), body: '' })
    else if (last && !isCode(token))
      last.body += `${plainText(token.raw)
        .replaceAll(/[|\s-]+/g, ' ')
        .trim()} `
  }
  return sections
}
