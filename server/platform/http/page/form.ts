import { html, NOTHING, type Html } from './html.ts'

export interface Field {
  name: string
  label: string
  type: 'text'
  autocomplete: string
  value?: string
  inputmode?: 'numeric'
}

export interface Form {
  /** API path that gets the fields as JSON. */
  endpoint: string
  fields: Field[]
  submit: string
  /** Takes the place of the form when the API has answered. */
  done: string
  /** Text of the button that then leads to where the answer says; "Go back" without it. */
  back?: string
  /** Below the button. */
  more: Html
}

/**
 * A form that the script sends as JSON; the answer's words are shown in it. The button waits for the script: without it
 * nothing may leave the page, least of all as a part of an address.
 */
export const form = ({ endpoint, fields, submit, done, back, more }: Form): Html =>
  html` <form method="post" data-endpoint="${endpoint}" data-done="${done}"${back ? html` data-back="${back}"` : NOTHING}>
    ${fields.map(field => input(field, endpoint))}
    <div>
      <button type="submit" class="full" disabled>${submit}</button>
      <p role="alert" class="result"></p>
    </div>
    ${more}${WITHOUT_SCRIPT}
  </form>`

function input({ name, label, type, autocomplete, value, inputmode }: Field, endpoint: string): Html {
  const id = `${endpoint.replaceAll('/', '-')}-${name}`
  return html` <div class="field">
    <label for="${id}">${label}</label>
    <div class="box">
      <input
        id="${id}"
        name="${name}"
        type="${type}"
        autocomplete="${autocomplete}"
        required
        ${value === undefined ? NOTHING : html` value="${value}"`}${inputmode ? html` inputmode="${inputmode}"` : NOTHING}
      />
    </div>
  </div>`
}

/** Said at once where scripts are off, and after some seconds where ours did not come. */
const WITHOUT_SCRIPT = html`<p class="notice off">
    This page needs JavaScript. Please allow it for this site, then reload.
  </p>
  <p class="notice late" data-late>The page is still loading. If this message stays, reload the page.</p>`
