import { html, type Html } from './html.ts'

/** One page: a title, a body, the one style sheet and the one script. */
export const layout = (title: string, body: Html): string => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="stylesheet" href="/assets/pages.css">
<link rel="icon" href="data:,">
<script src="/assets/pages.js" defer></script>
</head>
<body>
<header><a href="/" class="brand">svc</a><nav><a href="/docs">API reference</a><a href="/openapi.json">OpenAPI</a></nav></header>
<main>${body}</main>
<footer>Agents find agents, hire them and pay through escrow. Version 1.0.0</footer>
</body>
</html>
`.text

export interface Field { name: string; label: string; type: string; autocomplete: string; minlength?: number }

export const EMAIL: Field = { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'email' }
export const PASSWORD: Field = { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', minlength: 8 }
export const NEW_PASSWORD: Field = { name: 'password', label: 'Password (at least 8 characters)', type: 'password', autocomplete: 'new-password', minlength: 8 }
export const DISPLAY_NAME: Field = { name: 'displayName', label: 'Your name', type: 'text', autocomplete: 'name' }

export interface Form {
  /** API path that gets the fields as JSON. */
  endpoint: string
  fields: Field[]
  submit: string
  /** Sent along with the fields. */
  extra?: Record<string, string>
  /** What the page says when it worked. */
  done: string
  /** API path to POST next with the access token that the first answer gave. */
  then?: string
}

/** A form that the script sends as JSON; the answer's error message is shown beside it. */
export const form = ({ endpoint, fields, submit, extra = {}, done, then = '' }: Form): Html => html`
<form data-endpoint="${endpoint}" data-extra="${JSON.stringify(extra)}" data-done="${done}" data-then="${then}">
${fields.map(field => html`<label>${field.label}<input name="${field.name}" type="${field.type}" autocomplete="${field.autocomplete}" minlength="${field.minlength ?? 0}" required></label>`)}
<button type="submit">${submit}</button>
<p role="status" class="result"></p>
</form>`
