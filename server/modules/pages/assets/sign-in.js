// What follows a sign-in: the second factor, the page that it was for, a claim, the identity provider's answer.
import { $, $$, busy, leaveNote, say, showNote } from './dom.js'
import { callAs, findSession, forget, onSession, save, session, signOut } from './session.js'

const NEXT = 'svc.next'
const ASKED = 'svc.second-factor'
const ASKED_MS = 5 * 60_000

// The page to go to once somebody is signed in, in place of the account page.
const goBackTo = path => sessionStorage.setItem(NEXT, path)

function leave() {
  const next = sessionStorage.getItem(NEXT) ?? '/account'
  sessionStorage.removeItem(NEXT)
  // Not a new entry of the history: the way back must not lead to a link that was used.
  location.replace(next)
}

/** Goes on from an answer with tokens, or with the question for the second factor. */
export async function goOn(answer, note, form) {
  const words = [note, ...(answer.warnings ?? [])].filter(Boolean).join(' ')
  if (words) leaveNote(words)
  const claim = form?.closest('[data-claim]')
  if (answer.mfaRequired) {
    if (claim) goBackTo(location.pathname)
    sessionStorage.setItem(ASKED, JSON.stringify({ mfaToken: answer.mfaToken, until: Date.now() + ASKED_MS }))
    return location.pathname === '/login' ? askSecondFactor() : location.replace('/login')
  }
  sessionStorage.removeItem(ASKED)
  save(answer)
  if (claim) return claimNow(claim)
  leave()
}

function pending() {
  const asked = JSON.parse(sessionStorage.getItem(ASKED))
  return asked && asked.until > Date.now() ? asked : null
}

/** On /login: shows the second step in place of the first. */
export function askSecondFactor() {
  const section = $('#second-factor')
  const asked = pending()
  if (!section || !asked) return
  $('.card:not(#second-factor)').hidden = true
  section.hidden = false
  $('form', section).dataset.extra = JSON.stringify({ mfaToken: asked.mfaToken })
  showNote(section)
  $('input', section).focus()
}

export function wireSecondFactor() {
  const section = $('#second-factor')
  if (!section) return
  const input = $('input', section)
  $('[data-backup]', section).addEventListener('click', ({ currentTarget: button }) => {
    const backup = input.inputMode === 'numeric'
    input.inputMode = backup ? 'text' : 'numeric'
    $('[data-say]', section).textContent = backup ? 'Enter one of your backup codes: ten characters, each good for one time.' : 'Enter the six digits that your authenticator app shows now.'
    button.textContent = backup ? 'Use the authenticator app' : 'Use a backup code'
    input.value = ''
    input.focus()
  })
  $('[data-restart]', section).addEventListener('click', () => {
    sessionStorage.removeItem(ASKED)
    location.reload()
  })
  askSecondFactor()
}

export function wireClaim() {
  const place = $('[data-claim]')
  if (!place) return
  for (const away of $$('a', place)) away.addEventListener('click', () => goBackTo(location.pathname))
  $('[data-claim-now]', place).addEventListener('click', ({ currentTarget: button }) => busy(button, () => claimNow(place)))
  $('[data-sign-out]', place).addEventListener('click', ({ currentTarget: button }) => busy(button, () => signOut().catch(forget)))
  onSession(async mine => {
    if (!mine) return
    const { displayName, email } = await callAs('GET', '/users/me').catch(() => ({ displayName: 'yourself' }))
    $('[data-who]', place).textContent = email ? `${displayName} (${email})` : displayName
  })
}

/** Claims as who is signed in now; the account was made before, so a second try repeats the claim alone. */
async function claimNow(place) {
  const result = $('[data-signed-in] > .result', place)
  result.replaceChildren()
  try {
    await callAs('POST', `/agents/claim/${place.dataset.claim}`)
  } catch (error) {
    return say(result, error.message, { bad: true, link: error.link })
  }
  sessionStorage.removeItem(NEXT)
  leaveNote(`${place.dataset.name} is yours.`)
  location.replace('/account')
}

export function wireAuthDone() {
  const place = $('#auth-done')
  if (!place) return
  const answer = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
  // The tokens leave the address bar at once.
  history.replaceState(null, '', location.pathname)
  if (answer.accessToken || answer.mfaToken) return goOn({ ...answer, expiresIn: Number(answer.expiresIn) })
  if (session()) return leave()
  $('h1', place).textContent = 'You are not signed in'
  const reason = answer.error ?? 'there is no answer of the identity provider here'
  say($('[data-say]', place), `${reason[0].toUpperCase()}${reason.slice(1)}.`.replace('..', '.'))
  $('[data-ways]', place).hidden = false
  $('h1', place).focus()
}

/** /login and /signup for somebody who is signed in. */
export async function passThrough() {
  if (!['/login', '/signup'].includes(location.pathname) || pending()) return
  if (await findSession()) leave()
  else showNote()
}

/** What is for those who are signed in, and what for the others. */
export function wireVisibility() {
  onSession(mine => {
    for (const node of $$('[data-signed-in]')) node.hidden = !mine
    for (const node of $$('[data-signed-out]')) node.hidden = Boolean(mine)
  })
}
