// Small helpers of the pages.

export const $ = (selector, within = document) => within.querySelector(selector)
export const $$ = (selector, within = document) => [...within.querySelectorAll(selector)]

export function element(tag, className, ...content) {
  const node = document.createElement(tag)
  node.className = className
  node.append(...content)
  return node
}

export function link(text, href, className = '') {
  const node = element('a', className, text)
  node.href = href
  return node
}

/** Puts words into the place that screen readers watch; a `link` ({ text, href }) may follow them. */
export function say(place, text, { bad = false, link: next } = {}) {
  place.classList.toggle('bad', bad)
  place.replaceChildren(text)
  if (next) place.append(' ', link(next.text, next.href))
}

/** Runs `work` while the button rests; a second press does nothing. */
export async function busy(button, work) {
  if (button.getAttribute('aria-disabled') === 'true') return
  button.setAttribute('aria-disabled', 'true')
  try {
    await work()
  } finally {
    button.removeAttribute('aria-disabled')
  }
}

const FLASH = 'svc.flash'

/** What the next page of this tab says first. */
export const leaveNote = text => sessionStorage.setItem(FLASH, text)

export function showNote(within = document) {
  const text = sessionStorage.getItem(FLASH)
  const place = $('[data-flash]', within)
  if (!text || !place) return
  sessionStorage.removeItem(FLASH)
  place.hidden = false
  // A live region speaks when it changes, not when it appears.
  setTimeout(() => { place.textContent = text }, 50)
}

/** Works also where the clipboard is not to be had: over plain http. */
export async function copy(text, button) {
  const label = button.textContent
  let ok = true
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    const area = element('textarea', 'away')
    area.value = text
    document.body.append(area)
    area.select()
    ok = document.execCommand('copy')
    area.remove()
    button.focus()
  }
  button.textContent = ok ? 'Copied' : 'Copying failed'
  setTimeout(() => { button.textContent = label }, 1600)
}
