import { html, Html, NOTHING } from '#platform/http/page/html'
import { SECTIONS, urlOf } from './catalog.ts'
import type { Heading } from './markdown.ts'

/** What a page shows around its content. */
export interface Frame {
  siteName: string
  /** Path of the page below /docs, which the menu marks. */
  path: string
  title: string
  content: Html
  headings: readonly Heading[]
  /** Further entries of the menu, below "API reference". */
  reference: readonly { path: string; title: string }[]
  /** Whether the page is also served as Markdown. */
  hasText: boolean
}

/** A page of the documentation: it works without a script, which adds search as you type, tabs and the caller's key. */
export const docsPage = (frame: Frame): string =>
  html`<!doctype html>
    <html lang="en" data-docs>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${frame.path ? `${frame.title} - ` : ''}${frame.siteName} documentation</title>
        <link rel="stylesheet" href="/assets/docs.css" />
        <link rel="stylesheet" href="/assets/docs-page.css" />
        <link rel="stylesheet" href="/assets/docs-samples.css" />
        <link rel="stylesheet" href="/assets/docs-sizes.css" />
        <link rel="icon" type="image/svg+xml" href="/favicon.ico" />
        ${frame.hasText ? html`<link rel="alternate" type="text/markdown" href="${textUrlOf(frame.path)}" />` : NOTHING}
        <script type="module" src="/assets/docs.js"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <a href="/docs" class="brand">${frame.siteName} <span>Docs</span></a>
          <form role="search" action="/docs/search" class="search">
            <input name="q" type="search" aria-label="Search the documentation" placeholder="Search (press /)" autocomplete="off" required />
            <div class="found" hidden></div>
          </form>
          <nav aria-label="Site" class="site"><a href="/docs/reference">API</a><a href="/app">Console</a></nav>
        </header>
        <details class="menu">
          <summary>Menu</summary>
          <nav aria-label="Pages (menu)">${menuOf(frame)}</nav>
        </details>
        <div class="columns">
          <nav class="side" aria-label="Pages">${menuOf(frame)}</nav>
          <main id="main">
            <article>${frame.content}</article>
            ${frame.hasText ? html`<p class="foot"><a href="${textUrlOf(frame.path)}">This page as Markdown</a></p>` : NOTHING}
          </main>
          ${outlineOf(frame.headings)}
        </div>
      </body>
    </html> `.text

export const textUrlOf = (path: string): string => `/docs/${path || 'index'}.md`

function menuOf({ path, reference }: Frame): Html {
  const entry = (page: { path: string; title: string }) =>
    html`<li><a href="${urlOf(page.path)}"${current(page.path === path)}>${page.title}</a></li>`
  const [guides, ...others] = SECTIONS.map(
    ({ title, pages }) =>
      html`<h2>${title}</h2>
        <ul>
          ${pages.map(entry)} ${title === 'Project' ? entry({ path: 'adr', title: 'Decisions' }) : NOTHING}
        </ul>`,
  )
  return html`${guides ?? NOTHING}
    <h2>API reference</h2>
    <ul>
      ${entry({ path: 'reference', title: 'All operations' })} ${reference.map(entry)}
    </ul>
    ${others}`
}

const current = (isCurrent: boolean): Html => (isCurrent ? new Html(' aria-current="page"') : NOTHING)

/** The sections of a page, beside it where there is space. */
function outlineOf(headings: readonly Heading[]): Html {
  const sections = headings.filter(({ level }) => level === 2)
  if (sections.length < 3) return NOTHING
  return html`<nav class="outline" aria-label="On this page">
    <h2>On this page</h2>
    <ul>
      ${sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}
    </ul>
  </nav>`
}
