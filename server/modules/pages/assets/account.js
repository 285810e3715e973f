// The account page: who is signed in, the wallet, the agents, the access token.
import { $, busy, copy, element, say, showNote } from './dom.js'
import { callAs, findSession, clearSession, onSession, renew, session, signOut } from './session.js'

export async function wireAccount() {
  const page = $('#account')
  if (!page) return
  const [wallet, terminal, mine] = page.querySelectorAll('.panel')
  if (!await findSession()) return toSignIn()
  const out = $('[data-sign-out]', page)
  out.disabled = false
  const stopWatching = onSession(now => (now ? showToken(terminal) : toSignIn()))
  out.addEventListener('click', () => busy(out, async () => {
    // This tab goes to the home page, not to the sign-in page.
    stopWatching()
    // Offline the tokens are removed all the same.
    await signOut().catch(clearSession)
    location.replace('/')
  }))
  // A page from the browser's cache must not show data from before the sign-out.
  addEventListener('pageshow', event => { if (event.persisted && !session()) toSignIn() })
  wireTerminal(page, terminal)
  wireFunding(wallet)
  showNote(page)
  await show(page, { wallet, mine })
}

const toSignIn = () => location.replace('/login')

async function show(page, { wallet, mine }) {
  const place = $('[data-error]', page)
  place.hidden = true
  try {
    const me = await callAs('GET', '/users/me')
    $('[data-name]', page).textContent = me.displayName || me.username
    $('[data-who]', page).textContent = [me.email || `@${me.username}`, me.role === 'ADMIN' ? 'Admin' : '', me.userType === 'AGENT' ? 'Agent account' : ''].filter(Boolean).join(' · ')
    const [record, agents] = await Promise.all([callAs('GET', `/wallets/user/${me.id}`), callAs('GET', '/agents/my-agents?limit=100')])
    wallet.dataset.wallet = record.id
    showBalance(wallet, record)
    showAgents(mine, agents.items)
    $('[data-panels]', page).hidden = false
  } catch (error) {
    if (!session()) return
    $('[data-who]', page).textContent = ''
    place.hidden = false
    say(place, error.message, { bad: true, link: error.link })
    const again = element('button', 'link', 'Try again')
    again.type = 'button'
    again.addEventListener('click', () => show(page, { wallet, mine }))
    place.append(' ', again)
  } finally {
    page.setAttribute('aria-busy', 'false')
  }
}

function showBalance(wallet, { available, reserved, currency }) {
  $('[data-available]', wallet).textContent = available
  $('[data-currency]', wallet).textContent = currency
  const held = $('[data-reserved]', wallet)
  held.hidden = Number(reserved) === 0
  held.textContent = `plus ${reserved} ${currency} held in escrow`
}

function wireFunding(wallet) {
  const button = $('[data-fund]', wallet)
  if (!button) return
  let key = newKey()
  const result = $('[data-result]', wallet)
  button.addEventListener('click', () => busy(button, async () => {
    result.replaceChildren()
    try {
      // The same key until there is an answer: a press after a lost one pays once.
      const { wallet: record, transaction } = await callAs('POST', `/wallets/${wallet.dataset.wallet}/fund`, { body: { amount: Number(button.dataset.fund) }, headers: { 'idempotency-key': key } })
      key = newKey()
      showBalance(wallet, record)
      say(result, transaction.status === 'PENDING' ? 'The payment is being processed. Reload the page in a moment.' : `${transaction.amount} ${transaction.currency} added.`)
    } catch (error) {
      if (error.status >= 400 && error.status < 409) key = newKey()
      say(result, error.message, { bad: true, link: error.link })
    }
  }))
}

// crypto.randomUUID is not to be had over plain http.
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')

function showToken(terminal) {
  const { accessToken, until } = session()
  $('#access-token', terminal).value = accessToken
  $('[data-until]', terminal).textContent = new Date(until).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' })
}

function wireTerminal(page, terminal) {
  const result = $('[data-result]', terminal)
  const fresh = async button => {
    result.replaceChildren()
    try {
      if (session() && session().until - Date.now() < 60_000) await renew()
      return session()?.accessToken
    } catch (error) {
      say(result, error.message, { bad: true, link: error.link })
    }
  }
  const wire = (selector, text) => {
    const button = $(selector, terminal)
    button.addEventListener('click', async () => {
      const token = await fresh(button)
      if (token) await copy(text(token), button)
    })
  }
  wire('[data-copy-token]', token => token)
  wire('[data-copy-curl]', token => `curl -s ${page.dataset.url}/users/me -H 'authorization: Bearer ${token}'`)
  const again = $('[data-renew]', terminal)
  again.addEventListener('click', () => busy(again, async () => {
    try {
      await renew()
      say(result, 'Renewed. The new token expires in 15 minutes.')
    } catch (error) {
      say(result, error.message, { bad: true, link: error.link })
    }
  }))
}

const STATUS = { DRAFT: 'draft', ACTIVE: 'for hire', PENDING_REVIEW: 'in review', REJECTED: 'rejected', PAUSED: 'paused', ARCHIVED: 'archived', SUSPENDED: 'suspended' }

function showAgents(mine, agents) {
  $('[data-none]', mine).hidden = agents.length > 0
  $('[data-mine]', mine).replaceChildren(...agents.map(agent => row(mine, agent)))
}

function row(mine, agent) {
  const words = element('div', '', element('span', 'name', agent.name), ' ', element('span', `chip ${agent.status.toLowerCase()}`, STATUS[agent.status] ?? agent.status))
  words.append(element('p', 'quiet', [agent.slug, `trust tier ${agent.trustTier.toLowerCase()}`, agent.stats.completions === 1 ? '1 completed deal' : `${agent.stats.completions} completed deals`].join(' · ')))
  const item = element('li', '', words)
  if (agent.status === 'DRAFT') item.append(publisher(mine, agent))
  return item
}

function publisher(mine, agent) {
  const button = element('button', 'small plain', 'Publish')
  button.type = 'button'
  button.setAttribute('aria-label', `Publish ${agent.name}`)
  button.addEventListener('click', () => busy(button, async () => {
    const result = $('[data-result]', mine)
    try {
      await callAs('POST', `/agents/${agent.id}/publish`)
      showAgents(mine, (await callAs('GET', '/agents/my-agents?limit=100')).items)
      say(result, `${agent.name} can be hired now.`)
    } catch (error) {
      say(result, error.message, { bad: true, link: error.link })
    }
  }))
  return button
}
