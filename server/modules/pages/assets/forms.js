// Forms: sent as JSON, answered in words beside the button.
import { call } from './api.js'
import { $, $$, busy, element, link, say } from './dom.js'
import { findSession, callAs } from './session.js'
import { goOn } from './sign-in.js'

export function wireForms() {
  for (const late of $$('[data-late]')) late.remove()
  for (const form of $$('form[data-endpoint]')) {
    form.addEventListener('submit', event => {
      event.preventDefault()
      busy($('[type=submit]', form), () => attempt(form, () => send(form)))
    })
    for (const input of $$('input[type=password]:not([readonly])', form)) input.after(revealer(input))
    for (const button of $$('[data-mail]', form)) button.addEventListener('click', () => busy(button, () => attempt(form, () => mail(form, button))))
    form.addEventListener('input', () => clear(form))
    for (const button of $$('[disabled]', form)) button.disabled = false
  }
}

/** Runs `work` and shows in the form why it failed: at the field, where the error names one, else beside the button. */
async function attempt(form, work) {
  clear(form)
  try {
    await work()
  } catch (error) {
    const input = error.field && $(`input[name="${CSS.escape(error.field)}"]:not([readonly])`, form)
    const place = input ? placeAt(input) : $('.result', form)
    say(place, error.message, { bad: true, link: error.link })
    input?.focus()
    if (input && (input.type === 'password' || input.name === 'totpCode')) input.select()
  }
}

/** The place for an error below a field, which the field names as its description. */
function placeAt(input) {
  const place = element('p', 'result')
  place.id = `${input.id}-error`
  place.setAttribute('role', 'alert')
  input.closest('.field').append(place)
  input.setAttribute('aria-invalid', 'true')
  input.setAttribute('aria-describedby', [input.getAttribute('aria-describedby'), place.id].filter(Boolean).join(' '))
  return place
}

function clear(form) {
  $('div > .result', form)?.replaceChildren()
  for (const input of $$('[aria-invalid]', form)) {
    input.removeAttribute('aria-invalid')
    const others = input.getAttribute('aria-describedby')?.split(' ').filter(id => id !== `${input.id}-error`) ?? []
    if (others.length) input.setAttribute('aria-describedby', others.join(' '))
    else input.removeAttribute('aria-describedby')
    document.getElementById(`${input.id}-error`)?.remove()
  }
}

async function send(form) {
  const { endpoint, extra, after, done, note } = form.dataset
  const fields = Object.fromEntries(new FormData(form))
  const body = { ...fields, ...JSON.parse(extra) }
  const answer = await (BY_LINK.has(endpoint) ? callAsMaybe : call)('POST', endpoint, { body })
  if (after === 'session' && (answer.accessToken || answer.mfaRequired)) return goOn(answer, note, form)
  finish(form, done, fields.email, answer)
}

// Links work without a session. With one, the credentials of its account stay valid.
const BY_LINK = new Set(['/auth/verify-email', '/auth/magic-link/consume', '/auth/reset-password'])

async function callAsMaybe(...request) {
  if (await findSession()) {
    try {
      return await callAs(...request)
    } catch (error) {
      if (error.status !== 401) throw error
    }
  }
  return call(...request)
}

/** Words in place of the form: it has done its work. */
export function finish(form, text, email, answer = {}) {
  const words = element('p', 'done', text)
  words.tabIndex = -1
  words.setAttribute('role', 'status')
  const parts = [words]
  const mailbox = form.closest('[data-mailbox]') ?? $('[data-mailbox]', form)
  if (mailbox && email) parts.push(element('p', 'actions', link('Open the sandbox mailbox', `${mailbox.dataset.mailbox}?to=${encodeURIComponent(email)}`, 'button')))
  if (answer.requiresSignIn) parts.push(element('p', 'actions', link('Sign in', '/login', 'button')))
  if (answer.returnUrl) parts.push(element('p', 'actions', link('Go back', answer.returnUrl, 'button')))
  form.replaceWith(...parts)
  words.focus()
}

/** A link by mail, for the address in the form's email field. */
async function mail(form, button) {
  const field = $('[type=email]', form)
  if (!field.reportValidity()) return
  await call('POST', button.dataset.mail, { body: { email: field.value } })
  finish(form, button.dataset.done, field.value)
}

function revealer(input) {
  const button = element('button', 'reveal', 'Show')
  button.type = 'button'
  button.setAttribute('aria-controls', input.id)
  button.setAttribute('aria-label', 'Show the password')
  button.setAttribute('aria-pressed', 'false')
  button.addEventListener('click', () => {
    const shown = input.type === 'text'
    input.type = shown ? 'password' : 'text'
    button.textContent = shown ? 'Show' : 'Hide'
    button.setAttribute('aria-pressed', String(!shown))
  })
  return button
}
