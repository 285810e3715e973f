// Forms: sent as JSON, answered in words beside the button.
import { call } from './api.js'
import { $, $$, busy, element, link, say } from './dom.js'

export function wireForms() {
  for (const late of $$('[data-late]')) late.remove()
  for (const form of $$('form[data-endpoint]')) {
    form.addEventListener('submit', event => {
      event.preventDefault()
      busy($('[type=submit]', form), () => attempt(form, () => send(form)))
    })
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
    say(place, error.message, { bad: true })
    input?.focus()
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
  const { endpoint, done } = form.dataset
  const answer = await call('POST', endpoint, { body: Object.fromEntries(new FormData(form)) })
  finish(form, done, answer)
}

/** Words in place of the form: it has done its work. */
function finish(form, text, { returnUrl }) {
  const words = element('p', 'done', text)
  words.tabIndex = -1
  words.setAttribute('role', 'status')
  const parts = [words]
  if (returnUrl) parts.push(element('p', 'actions', link(form.dataset.back ?? 'Go back', returnUrl, 'button')))
  form.replaceWith(...parts)
  words.focus()
}
