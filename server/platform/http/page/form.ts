import { html, NOTHING, type Html } from './html.ts'

export interface Field {
  name: string
  label: string
  type: 'text' | 'email' | 'password'
  autocomplete: string
  hint?: string
  minlength?: number
  maxlength?: number
  value?: string
  inputmode?: 'numeric'
  readonly?: true
  optional?: true
}

export const EMAIL: Field = {
  name: 'email',
  label: 'Email',
  type: 'email',
  autocomplete: 'username',
  maxlength: 254,
}
export const PASSWORD: Field = {
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
}
export const NEW_PASSWORD: Field = {
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'new-password',
  minlength: 8,
  maxlength: 256,
  hint: 'At least 8 characters',
}
export const DISPLAY_NAME: Field = {
  name: 'displayName',
  label: 'Your name',
  type: 'text',
  autocomplete: 'name',
  maxlength: 100,
}

export interface Form {
  /** API path that gets the fields as JSON. */
  endpoint: string
  fields: Field[]
  submit: string
  /** Sent along with the fields. */
  extra?: Record<string, string | boolean>
  /** What follows a good answer: `session` keeps its tokens and goes on, `done` puts the words in `done` in place of the form. */
  after: 'session' | 'done'
  done?: string
  /** What the next page says first. */
  note?: string
  /** Below the button. */
  more?: Html
  /** Distinguishes the fields of two forms with one endpoint. */
  id?: string
}

/**
 * A form that the script sends as JSON; the answer's words are shown in it. The button waits for the script: without it
 * nothing may leave the page, least of all as a part of an address.
 */
export const form = ({
  endpoint,
  fields,
  submit,
  extra = {},
  after,
  done = '',
  note = '',
  more = NOTHING,
  id = '',
}: Form): Html =>
  html` <form
    method="post"
    data-endpoint="${endpoint}"
    data-extra="${JSON.stringify(extra)}"
    data-after="${after}"
    data-done="${done}"
    data-note="${note}"
  >
    ${fields.map(field => input(field, id || endpoint))}
    <div>
      <button type="submit" class="full" disabled>${submit}</button>
      <p role="alert" class="result"></p>
    </div>
    ${more}${WITHOUT_SCRIPT}
  </form>`

function input(field: Field, formId: string): Html {
  const {
    name,
    label,
    type,
    autocomplete,
    hint,
    minlength,
    maxlength,
    value,
    inputmode,
    readonly,
    optional,
  } = field
  const id = `${formId.replaceAll('/', '-')}-${name}`
  return html` <div class="field">
    <label for="${id}">${label}</label>
    <div class="box">
      <input
        id="${id}"
        name="${name}"
        type="${type}"
        autocomplete="${autocomplete}"
        ${optional ? NOTHING : html` required`}${
          minlength ? html` minlength="${minlength}"` : NOTHING
        }${maxlength ? html` maxlength="${maxlength}"` : NOTHING}${
          value === undefined ? NOTHING : html` value="${value}"`
        }${readonly ? html` readonly` : NOTHING}${inputmode ? html` inputmode="${inputmode}"` : NOTHING}${
          type === 'text' ? NOTHING : html` autocapitalize="none" spellcheck="false"`
        }${hint ? html` aria-describedby="${id}-hint"` : NOTHING}
      />
    </div>
    ${hint ? html`<small id="${id}-hint">${hint}</small>` : NOTHING}
  </div>`
}

/** Said at once where scripts are off, and after some seconds where ours did not come. */
export const WITHOUT_SCRIPT = html`<p class="notice off">
    This page needs JavaScript. Please allow it for this site, then reload.
  </p>
  <p class="notice late" data-late>The page is still loading. If this message stays, reload the page.</p>`
