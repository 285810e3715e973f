import { html, type Html } from './html.ts'

/** A moment in words that everybody reads; the script puts it into the reader's own time zone. */
export const moment = (iso: string): Html =>
  html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`
