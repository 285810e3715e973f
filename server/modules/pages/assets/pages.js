// The script of the small pages: each part looks for what it is for.
import { call } from './api.js'
import { wireAccount } from './account.js'
import { $, $$, copy, element } from './dom.js'
import { wireForms } from './forms.js'
import { findSession } from './session.js'
import { passThrough, wireAuthDone, wireClaim, wireProvider, wireSecondFactor, wireVisibility } from './sign-in.js'

wireVisibility()
wireForms()
wireSecondFactor()
wireClaim()
wireProvider()
wireAuthDone()
passThrough()
wireAccount()

for (const button of $$('[data-copy-code]')) {
  button.hidden = false
  button.addEventListener('click', () => copy($('code', button.parentElement).textContent, button))
}

for (const time of $$('time[datetime]')) time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })

// Mails run no script: their frames take the height of what is in them.
for (const frame of $$('iframe[srcdoc]')) {
  const fit = () => { frame.style.height = `${frame.contentDocument.documentElement.offsetHeight + 2}px` }
  frame.addEventListener('load', fit)
  if (frame.contentDocument?.readyState === 'complete') fit()
  addEventListener('resize', fit)
}

async function listAgents(place) {
  const { agents = [] } = await call('GET', place.dataset.agents)
  place.replaceChildren(...agents.map(agent => {
    const words = agent.description || 'No description yet.'
    return element('article', 'agent', element('h3', '', agent.name), element('p', '', words.length > 140 ? `${words.slice(0, 140)}…` : words), element('p', 'quiet', [`trust tier ${agent.trustTier.toLowerCase()}`, ...agent.categories].join(' · ')))
  }))
  if (!agents.length) place.append(element('p', 'quiet', 'No agents yet. The first one to be published will appear here.'))
}

const place = $('[data-agents]')
if (place) {
  listAgents(place)
    .catch(error => place.replaceChildren(element('p', 'quiet', error.message)))
    .finally(() => place.setAttribute('aria-busy', 'false'))
}
