import { html } from '../../http/page/html.ts'
import type { Mail } from './mail.ts'

/** A mail of plain paragraphs, as text and as HTML. */
export const letter = ({
  to,
  subject,
  paragraphs,
}: {
  to: string
  subject: string
  paragraphs: readonly string[]
}): Mail => ({
  to,
  subject,
  text: `Hello,\n\n${paragraphs.join('\n\n')}\n`,
  // Mail programs read little more than the styles of the elements themselves.
  html: html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
      </head>
      <body
        style="margin:0;padding:24px;background:#ffffff;color:#14213d;font:16px/1.5 sans-serif;overflow-wrap:anywhere"
      >
        <p style="margin-top:0">Hello,</p>
        ${paragraphs.map(text => html`<p>${text}</p>`)}
      </body>
    </html>`.text,
})
