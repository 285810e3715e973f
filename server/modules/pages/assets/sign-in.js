// What follows a sign-in: the second factor, the page that it was for, a claim, the identity provider's answer.
import { $, $$, busy, leaveNote, say, showNote } from './dom.js'
import { callAs, findSession, clearSession, onSession, save, session, signOut } from './session.js'

const NEXT = 'svc.next'
const ASKED = 'svc.second-factor'
const ASKED_MS = 5 * 60_000
const PROVIDER = 'svc.provider'

// The page to go to once somebody is signed in, in place of the account page.
const goBackTo = path => sessionStorage.setItem(NEXT, path)

let leaving = false
/** Leaves for the page that the sign-in was for, once: a second navigation would abort the first. */
function leave() {
  if (leaving) return
  leaving = true
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
    $('.result', section).replaceChildren()
    $('label', section).textContent = backup ? 'Backup code' : 'Code'
    input.inputMode = backup ? 'text' : 'numeric'
    $('[data-say]', section).textContent = backup ? 'Enter one of your 10-character backup codes. Each works once.' : 'Enter the 6-digit code from your authenticator app.'
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
  $('[data-sign-out]', place).addEventListener('click', ({ currentTarget: button }) => busy(button, () => signOut().catch(clearSession)))
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

/** "Continue with ..." leaves a random value in this tab, which the identity provider's answer must bring back. */
export function wireProvider() {
  for (const button of $$('[data-provider]')) {
    button.addEventListener('click', () => {
      const value = [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')
      sessionStorage.setItem(PROVIDER, value)
      button.href = `${button.dataset.provider}?clientState=${value}`
    })
  }
}

// The codes that the service puts into the address; any other text there is not shown.
const REASONS = {
  NO_RESPONSE: "We didn't get a response from your identity provider.",
  NOT_STARTED_HERE: 'This sign-in was not started in this browser tab. Please start again.',
  TOKEN_EXPIRED: 'This sign-in took too long. Please start again.',
  TOKEN_INVALID: 'This sign-in was not started in this browser. Please start again.',
  SIGN_IN_CANCELLED: 'The sign-in was cancelled.',
  PROVIDER_REFUSED: 'Your identity provider refused the sign-in.',
  ACCOUNT_SUSPENDED: 'This account is suspended. Please contact the operator of this service.',
  INVALID_EXTERNAL_IDENTITY: 'Your identity provider has not confirmed your email address, or an account with it already exists. Sign in another way.',
  SIGN_IN_FAILED: 'The sign-in failed. Please try again.',
}

export function wireAuthDone() {
  const place = $('#auth-done')
  if (!place) return
  const { accessToken, refreshToken, expiresIn, mfaToken, clientState, error } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
  // The tokens leave the address bar at once.
  history.replaceState(null, '', location.pathname)
  const begun = sessionStorage.getItem(PROVIDER)
  sessionStorage.removeItem(PROVIDER)
  // A link of somebody else must not sign this browser in: this tab has started the sign-in, or nothing happens.
  const isOurs = begun !== null && begun === clientState
  if (isOurs && mfaToken) return goOn({ mfaRequired: true, mfaToken })
  if (isOurs && accessToken) return goOn({ accessToken, refreshToken, expiresIn: Number(expiresIn) })
  if (session() && !error && !accessToken && !mfaToken) return leave()
  $('h1', place).textContent = 'You are not signed in'
  say($('[data-say]', place), REASONS[accessToken || mfaToken ? 'NOT_STARTED_HERE' : error ?? 'NO_RESPONSE'] ?? REASONS.SIGN_IN_FAILED)
  $('[data-ways]', place).hidden = false
  $('h1', place).focus()
}

/** /login and /signup for somebody who is signed in. */
export async function passThrough() {
  if (!['/login', '/signup'].includes(location.pathname) || pending()) return
  if (await findSession()) leave()
  else showNote()
}

/** Shows what is for those who are signed in, or what is for the others. */
export async function wireVisibility() {
  await findSession()
  onSession(mine => {
    for (const node of $$('[data-signed-in]')) node.hidden = !mine
    for (const node of $$('[data-signed-out]')) node.hidden = Boolean(mine)
  })
  // Until now the style sheet showed neither: what changes under the pointer gets pressed by mistake.
  document.documentElement.dataset.known = ''
}
