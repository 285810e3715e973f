/** Saves text as a file on the person's machine. */
export function downloadFile(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/** Rows as CSV (RFC 4180). A cell that a spreadsheet would run as a formula is made text by a leading apostrophe. */
export const csvOf = (rows: readonly (readonly (string | number | boolean | null)[])[]): string =>
  rows.map(row => `${row.map(cell).join(',')}\r\n`).join('')

function cell(value: string | number | boolean | null): string {
  const text = String(value ?? '')
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
