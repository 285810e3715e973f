/** Markup that is safe to send as it is. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escape = (text: string): string => text.replace(/[&<>"']/g, char => ESCAPES[char] ?? char)

/** Markup from a template: every value is escaped, other markup and lists of it are put in as they are. */
export function html(strings: TemplateStringsArray, ...values: (string | number | Html | Html[])[]): Html {
  let text = strings[0] ?? ''
  values.forEach((value, index) => {
    if (value instanceof Html) text += value.text
    else if (Array.isArray(value)) text += value.map(each => each.text).join('')
    else text += escape(String(value))
    text += strings[index + 1] ?? ''
  })
  return new Html(text)
}

export const NOTHING = new Html('')
