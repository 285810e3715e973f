import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { html } from '#platform/http/page/html'
import type { Document } from '../openapi/model.ts'
import { StoredText } from '../http/stored-text.ts'
import { FILE_PAGES, linkOnSite, urlOf } from './catalog.ts'
import { includeSections } from './include.ts'
import { docsPage, textUrlOf } from './layout.ts'
import { renderMarkdown, sectionsOf, withoutIds } from './markdown.ts'
import { indexText, pageText, referencePages, type ReferencePage } from './reference/text.ts'
import { SearchIndex, type Entry, type Hit } from './search.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const DECISIONS = 'docs/adr'

export interface SiteOptions {
  siteName: string
  publicUrl: string
  /** The OpenAPI document as JSON. */
  document: StoredText
}

/** A page with its Markdown. */
interface Source {
  path: string
  title: string
  text: string
}

/** The documentation: files of the project and the reference of the OpenAPI document, rendered when they are first read. */
export class DocsSite {
  readonly #options: SiteOptions
  readonly #pages = new Map<string, StoredText>()
  readonly #texts = new Map<string, StoredText>()
  readonly #all = new StoredText(() => this.#writeAll())
  #index: Promise<SearchIndex> | undefined

  constructor(options: SiteOptions) {
    this.#options = options
  }

  /** The page at /docs/`path`; null if there is none. */
  async page(path: string): Promise<StoredText | null> {
    return this.#stored(this.#pages, path, source => this.#render(source))
  }

  /** The same as Markdown. */
  async text(path: string): Promise<StoredText | null> {
    return this.#stored(this.#texts, path, async ({ text }) => withoutIds(text))
  }

  /** All pages in one text, the reference included. */
  get all(): StoredText {
    return this.#all
  }

  async find(query: string): Promise<Hit[]> {
    this.#index ??= this.#buildIndex()
    return (await this.#index).find(query)
  }

  /** A page with what was found, which works without a script. */
  async results(query: string): Promise<string> {
    const hits = query ? await this.find(query) : []
    const content = html`<h1>Search</h1>
      <p>${hits.length ? `${hits.length} results for “${query}”` : `Nothing was found for “${query}”.`}</p>
      <ul class="results">
        ${hits.map(({ url, title, place }) => html`<li><a href="${url}">${title}</a> <small>${place}</small></li>`)}
      </ul>`
    const { siteName } = this.#options
    return docsPage({
      siteName,
      path: 'search',
      title: 'Search',
      content,
      headings: [],
      reference: [],
      hasText: false,
    })
  }

  async #stored(
    known: Map<string, StoredText>,
    path: string,
    write: (source: Source) => Promise<string>,
  ): Promise<StoredText | null> {
    const stored = known.get(path)
    if (stored) return stored
    const source = await this.#source(path)
    if (!source) return null
    const text = new StoredText(() => write(source))
    known.set(path, text)
    return text
  }

  async #render({ path, title, text }: Source): Promise<string> {
    const { content, headings } = renderMarkdown(text)
    const reference = path.startsWith('reference') ? (await this.#reference()).pages : []
    const { siteName } = this.#options
    return docsPage({ siteName, path, title, content, headings, reference, hasText: true })
  }

  async #source(path: string): Promise<Source | null> {
    const known = FILE_PAGES.find(each => each.path === path)
    if (known) return { path, title: known.title, text: await this.#read(known.file) }
    if (path === 'adr') return this.#decisions()
    if (path.startsWith('adr/')) return this.#decision(path.slice('adr/'.length))
    if (path !== 'reference' && !path.startsWith('reference/')) return null
    const { document, pages } = await this.#reference()
    if (path === 'reference') return { path, title: 'API reference', text: indexText(pages) }
    const page = pages.find(each => each.path === path)
    return page ? { path, title: page.title, text: pageText(page, document, this.#options.publicUrl) } : null
  }

  /** A file with what it includes, and with the address of this service in place of the usual one. */
  async #read(file: string): Promise<string> {
    const text = await includeSections(await fileText(file), fileText)
    return text.replaceAll(/http:\/\/(?:127\.0\.0\.1|localhost):3000/g, this.#options.publicUrl)
  }

  async #decisionNames(): Promise<string[]> {
    return (await readdir(join(ROOT, DECISIONS))).map(name => name.replace(/\.md$/, '')).sort()
  }

  async #decision(name: string): Promise<Source | null> {
    if (!(await this.#decisionNames()).includes(name)) return null
    const file = `${DECISIONS}/${name}.md`
    const text = await this.#read(file)
    return { path: `adr/${name}`, title: titleOf(text), text }
  }

  async #decisions(): Promise<Source> {
    const found = await Promise.all((await this.#decisionNames()).map(name => this.#decision(name)))
    const lines = found.flatMap(each => (each ? [`- [${each.title}](${urlOf(each.path)})`] : []))
    const text = [
      '# Decisions',
      'Large decisions with their context and consequences.',
      lines.join('\n'),
    ].join('\n\n')
    return { path: 'adr', title: 'Decisions', text }
  }

  /** Read from the stored text each time: the document would take several megabytes. */
  async #reference(): Promise<{ document: Document; pages: ReferencePage[] }> {
    const document = JSON.parse(await this.#options.document.text()) as Document
    return { document, pages: referencePages(document) }
  }

  async #guides(): Promise<Source[]> {
    return Promise.all(FILE_PAGES.map(async page => ({ ...page, text: await this.#read(page.file) })))
  }

  async #writeAll(): Promise<string> {
    const { document, pages } = await this.#reference()
    const { publicUrl } = this.#options
    const guides = (await this.#guides()).map(({ path, text }) => ({ path, text }))
    const reference = pages.map(page => ({ path: page.path, text: pageText(page, document, publicUrl) }))
    return [...guides, ...reference]
      .map(({ path, text }) => `<!-- ${publicUrl}${textUrlOf(path)} -->\n\n${withoutIds(text).trim()}\n`)
      .join('\n')
  }

  async #buildIndex(): Promise<SearchIndex> {
    const { pages } = await this.#reference()
    const sections: Entry[] = (await this.#guides()).flatMap(({ path, title, text }) =>
      sectionsOf(text).map(({ level, id, text: heading, body }) => ({
        url: level === 1 ? urlOf(path) : `${urlOf(path)}#${id}`,
        title: heading,
        place: title,
        body,
      })),
    )
    const operations: Entry[] = pages.flatMap(({ path, operations }) =>
      operations.map(({ method, path: route, operation }) => ({
        url: `${urlOf(path)}#${operation.operationId}`,
        title: operation.summary,
        place: `${method} ${route}`,
        body: `${operation.operationId} ${operation.description ?? ''}`,
      })),
    )
    return SearchIndex.of([...sections, ...operations])
  }
}

/** A file whose links lead to pages of the site. */
const fileText = async (file: string): Promise<string> =>
  (await readFile(join(ROOT, file), 'utf8')).replaceAll(
    /\]\(([^\s)]+)\)/g,
    (_, href: string) => `](${linkOnSite(file, href)})`,
  )

const titleOf = (text: string): string => /^# (.*)$/m.exec(text)?.[1] ?? ''
