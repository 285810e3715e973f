import { html, NOTHING, type Html } from '../../http/page/html.ts'
import type { Mail } from './mail.ts'

interface Letter {
  to: string
  subject: string
  paragraphs: readonly string[]
  /** The page of the console where the reader goes on; a button in HTML. */
  link?: { text: string; url: string }
  /** Small print: calls for programs, how to unsubscribe. */
  details?: readonly string[]
}

/** A mail of plain paragraphs, as text and as HTML. */
export const letter = ({ to, subject, paragraphs, link, details = [] }: Letter): Mail => ({
  to,
  subject,
  text: `Hello,\n\n${[...paragraphs, ...(link ? [`${link.text}: ${link.url}`] : []), ...details].join('\n\n')}\n`,
  html: html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <base target="_blank" />
      </head>
      <body
        style="margin:0;padding:24px;background:#ffffff;color:#14213d;font:16px/1.5 sans-serif;overflow-wrap:anywhere"
      >
        <p style="margin-top:0">Hello,</p>
        ${paragraphs.map(text => html`<p>${text}</p>`)}
        ${link ? mailButton(link) : NOTHING}
        ${details.map(text => html`<p style="${SMALL}">${text}</p>`)}
      </body>
    </html>`.text,
})

// Mail programs read little more than the styles of the elements themselves.
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:8px;background:#0b6e4f;color:#ffffff;font-weight:bold;' +
  'text-decoration:none'
const SMALL = 'font-size:14px;color:#556080'

export const mailButton = ({ text, url }: { text: string; url: string }): Html =>
  html`<p style="margin:24px 0"><a style="${BUTTON}" href="${url}">${text}</a></p>`
