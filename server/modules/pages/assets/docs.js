// What the pages of the documentation do beside showing text: tabs, copy, search as you type, and the caller's key.
import { $$, element } from './dom.js'
import { wireKey } from './docs-key.js'
import { wireSearch } from './docs-search.js'

const LANGUAGE = 'svc-docs-language'
const NAMES = { sh: 'curl', ts: 'TypeScript', js: 'JavaScript', python: 'Python' }

/** Shows the sample of one language at a time, the one that the reader chose last. */
function wireTabs(group) {
  const samples = $$('.sample', group)
  if (samples.length < 2) return
  const list = element('div', 'tabs')
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', 'Language')
  for (const sample of samples) {
    const { language } = sample.dataset
    const id = `${language}-${Math.random().toString(36).slice(2)}`
    const tab = element('button', '', NAMES[language])
    Object.assign(tab, { type: 'button', id: `tab-${id}` })
    tab.setAttribute('role', 'tab')
    tab.setAttribute('aria-controls', id)
    tab.dataset.language = language
    tab.addEventListener('click', () => choose(language))
    Object.assign(sample, { id, tabIndex: -1 })
    sample.setAttribute('role', 'tabpanel')
    sample.setAttribute('aria-labelledby', tab.id)
    list.append(tab)
  }
  list.addEventListener('keydown', moveBetweenTabs)
  group.prepend(list)
  group.dataset.tabs = ''
}

function moveBetweenTabs(event) {
  const tabs = $$('[role=tab]', event.currentTarget)
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (!step) return
  const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length]
  next.click()
  next.focus()
}

/** Every group of the page shows this language where it has it. */
function choose(language) {
  try {
    localStorage.setItem(LANGUAGE, language)
  } catch {
    // The browser stores nothing: the choice holds for this page.
  }
  show(language)
}

function show(language) {
  for (const group of $$('.samples[data-tabs]')) {
    const tabs = $$('[role=tab]', group)
    const chosen = tabs.find(tab => tab.dataset.language === language) ?? tabs[0]
    for (const tab of tabs) {
      tab.setAttribute('aria-selected', String(tab === chosen))
      tab.tabIndex = tab === chosen ? 0 : -1
    }
    for (const sample of $$('.sample', group))
      sample.hidden = sample.dataset.language !== chosen.dataset.language
  }
}

function chosenLanguage() {
  try {
    return localStorage.getItem(LANGUAGE) ?? 'sh'
  } catch {
    return 'sh'
  }
}

function wireCopy(sample) {
  const button = element('button', 'copy', 'Copy')
  button.type = 'button'
  button.addEventListener('click', async () => {
    button.textContent = (await copy(sample.querySelector('code').innerText)) ? 'Copied' : 'Press Ctrl-C'
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  })
  sample.append(button)
}

/** Over plain http browsers have no clipboard for pages. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

for (const group of $$('.samples')) wireTabs(group)
show(chosenLanguage())
for (const sample of $$('.sample')) wireCopy(sample)
wireSearch()
wireKey()
