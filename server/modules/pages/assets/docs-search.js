// Search as you type; without this script the form opens a page of results.
import { $, $$, element, link } from './dom.js'

const WAIT_MS = 120

export function wireSearch() {
  const form = $('.search')
  const input = $('input', form)
  const found = $('.found', form)
  let timer
  let latest = 0
  const close = () => (found.hidden = true)
  const look = async () => {
    const mine = ++latest
    const text = input.value.trim()
    if (text.length < 2) return close()
    const response = await fetch(`/docs/search.json?q=${encodeURIComponent(text)}`).catch(() => null)
    if (mine !== latest || !response?.ok) return
    const { items } = await response.json()
    // Somebody has chosen an entry: replacing the list would take the focus from it.
    if (found.contains(document.activeElement)) return
    found.replaceChildren(items.length ? listOf(items) : element('p', '', 'Nothing was found.'))
    found.hidden = false
  }
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(look, WAIT_MS)
  })
  form.addEventListener('keydown', event => {
    if (event.key === 'Escape') {
      close()
      input.focus()
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step || found.hidden) return
    event.preventDefault()
    const stops = [input, ...$$('a', found)]
    stops.at((stops.indexOf(document.activeElement) + step) % stops.length).focus()
  })
  document.addEventListener('click', event => {
    if (!form.contains(event.target)) close()
  })
  found.addEventListener('click', close)
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.closest('input, textarea')) return
    event.preventDefault()
    input.focus()
  })
}

function listOf(items) {
  const list = element('ul', '')
  for (const { url, title, place } of items) {
    const entry = link(title, url)
    entry.append(element('small', '', place))
    list.append(element('li', '', entry))
  }
  return list
}
