// Puts the caller's own key into the samples of the page.
import { call } from './api.js'
import { $, $$, busy, element, link, say } from './dom.js'

/** Kinds of keys that samples show, with the operation that makes one. */
const KINDS = {
  sk: { path: '/api/v1/keys', name: 'apiKey' },
  rk: { path: '/v1/auth/keys', name: 'key' },
}
const STORED = 'svc-docs-key-'
const DAY_MS = 86_400_000

/** The keys end after a day, and the browser drops them with the tab. */
const store = {
  get: kind => sessionStorage.getItem(STORED + kind),
  set: (kind, key) => sessionStorage.setItem(STORED + kind, key),
  remove: kind => sessionStorage.removeItem(STORED + kind),
}

export function wireKey() {
  const kinds = Object.keys(KINDS).filter(kind => $(`[data-key=${kind}]`))
  const first = $('[data-key]')?.closest('.samples, .sample')
  if (!kinds.length || !first) return
  const panel = element('aside', 'key')
  panel.setAttribute('aria-label', 'Your key')
  first.before(panel)
  draw(panel, kinds)
}

function draw(panel, kinds) {
  for (const kind of kinds)
    for (const place of $$(`[data-key=${kind}]`)) place.textContent = store.get(kind) ?? `${kind}_YOUR_KEY`
  const hasAll = kinds.every(kind => store.get(kind))
  if (hasAll) showStored(panel, kinds)
  else if (document.cookie.includes('svc_signed_in=1')) offer(panel, kinds)
  else
    panel.replaceChildren(
      element(
        'p',
        '',
        link('Sign in', `/login?next=${encodeURIComponent(location.pathname)}`),
        ' to have a key of yours in these examples.',
      ),
    )
}

function showStored(panel, kinds) {
  const button = plainButton('Take it out')
  button.addEventListener('click', () => {
    kinds.forEach(store.remove)
    draw(panel, kinds)
  })
  const text =
    'The examples contain your key. It ends after a day; the pages under Developer revoke it earlier.'
  panel.replaceChildren(element('p', '', text), button)
}

function offer(panel, kinds) {
  const button = element('button', '', 'Create a key for these examples')
  button.type = 'button'
  const text = element('p', '', 'Run the examples with a key of your account, which ends after a day.')
  text.setAttribute('role', 'status')
  button.addEventListener('click', () =>
    busy(button, async () => {
      try {
        for (const kind of kinds) if (!store.get(kind)) store.set(kind, await createKey(kind))
        draw(panel, kinds)
      } catch (error) {
        if (error.message) say(text, error.message, { bad: true })
      }
    }),
  )
  panel.replaceChildren(text, button)
}

async function createKey(kind) {
  const { path, name } = KINDS[kind]
  const body = { name: 'Documentation', expiresAt: new Date(Date.now() + DAY_MS).toISOString() }
  return (await send(path, body))[name]
}

/** Sends a request; renews the session or asks for a proof where the API wants it, and then repeats the request. */
async function send(path, body, attempts = 3) {
  try {
    return await call('POST', path, { body })
  } catch (error) {
    if (attempts === 1) throw error
    if (['UNAUTHORIZED', 'TOKEN_EXPIRED', 'TOKEN_INVALID'].includes(error.code)) await renewSession()
    else if (error.code === 'STEP_UP_REQUIRED') await prove()
    else throw error
    return send(path, body, attempts - 1)
  }
}

/** One tab at a time, as the console does it: a refresh token works once. */
function renewSession() {
  const renew = async () => {
    if ((await fetch('/users/me')).ok) return
    const headers = { 'x-svc-session': 'cookie', 'content-type': 'application/json' }
    const { ok } = await fetch('/auth/refresh', { method: 'POST', headers, body: '{}' })
    if (!ok) throw new Error('Your session has ended. Reload the page and sign in again.')
  }
  return 'locks' in navigator ? navigator.locks.request('svc-refresh', renew) : renew()
}

/** Asks for the password, or for a code of the second factor, in a dialog. */
async function prove() {
  const { enabled } = await (await fetch('/mfa/status')).json()
  const field = enabled ? 'totpCode' : 'password'
  const input = Object.assign(element('input', ''), {
    type: enabled ? 'text' : 'password',
    autocomplete: enabled ? 'one-time-code' : 'current-password',
    required: true,
  })
  const problem = element('p', 'bad')
  problem.setAttribute('role', 'alert')
  const cancel = plainButton('Cancel')
  const confirm = Object.assign(element('button', '', 'Confirm'), { type: 'submit' })
  const title = element('h2', '', 'Confirm that it is you')
  const label = element('label', '', enabled ? 'Code of your authenticator' : 'Password', input)
  const form = element('form', '', title, label, problem, element('div', 'actions', cancel, confirm))
  const dialog = element('dialog', '', form)
  dialog.setAttribute('aria-label', title.textContent)
  document.body.append(dialog)
  dialog.showModal()
  try {
    await new Promise((resolve, reject) => {
      cancel.addEventListener('click', () => dialog.close())
      // Without a text: the person knows.
      dialog.addEventListener('close', () => reject(new Error('')))
      form.addEventListener('submit', event => {
        event.preventDefault()
        busy(confirm, async () => {
          try {
            await call('POST', '/auth/step-up', { body: { [field]: input.value } })
            resolve()
          } catch (error) {
            problem.textContent = error.message
            input.select()
          }
        })
      })
    })
  } finally {
    dialog.remove()
  }
}

const plainButton = text => Object.assign(element('button', 'plain', text), { type: 'button' })
