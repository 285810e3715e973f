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

/** Puts words into the place that screen readers watch. */
export function say(place, text, { bad = false } = {}) {
  place.classList.toggle('bad', bad)
  place.replaceChildren(text)
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
