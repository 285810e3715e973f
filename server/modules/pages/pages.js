// The one script of the small pages: sends forms as JSON, lists agents, reads the identity provider's answer.

async function post(path, body, token) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  const data = text ? JSON.parse(text) : {}
  if (!answer.ok) throw new Error(Array.isArray(data.message) ? data.message.join('. ') : data.message)
  return data
}

async function send(form) {
  const { endpoint, extra, done, then } = form.dataset
  const result = form.querySelector('.result')
  const button = form.querySelector('button')
  result.textContent = ''
  button.disabled = true
  try {
    const data = await post(endpoint, { ...Object.fromEntries(new FormData(form)), ...JSON.parse(extra) })
    if (data.mfaRequired) {
      const saved = data.ok ? 'Saved. ' : ''
      throw new Error(`${saved}This account has a second factor: sign in through the API (POST /auth/login/mfa).`)
    }
    if (then) await post(then, {}, data.accessToken)
    result.className = 'result'
    result.textContent = done
    for (const input of form.querySelectorAll('input')) input.disabled = true
  } catch (error) {
    result.className = 'result bad'
    result.textContent = error.message
    button.disabled = false
  }
}

for (const form of document.querySelectorAll('form[data-endpoint]')) {
  form.addEventListener('submit', event => {
    event.preventDefault()
    send(form)
  })
}

function element(tag, className, text) {
  const node = document.createElement(tag)
  node.className = className
  node.textContent = text
  return node
}

async function listAgents(place) {
  const { agents = [] } = await (await fetch(place.dataset.agents)).json()
  place.replaceChildren(...agents.map(agent => {
    const card = element('article', 'agent', '')
    card.append(element('h3', '', agent.name), element('p', '', (agent.description || 'No description yet').slice(0, 140)), element('p', '', `${agent.trustTier} · ${agent.categories.join(', ')}`))
    return card
  }))
  if (!agents.length) place.append(element('p', 'quiet', 'No agent is published yet. POST /agents makes one.'))
}

const place = document.querySelector('[data-agents]')
if (place) listAgents(place).catch(() => { place.textContent = 'The list did not load.' })

const done = document.querySelector('#auth-done')
if (done) {
  // The token came in the fragment, which no server sees; it leaves the address bar at once.
  const answer = new URLSearchParams(location.hash.slice(1))
  history.replaceState(null, '', location.pathname)
  done.textContent = answer.get('error') ? `Not signed in: ${answer.get('error')}` : answer.get('accessToken') ? 'You are signed in. You can close this page.' : 'There is nothing to read here.'
}
