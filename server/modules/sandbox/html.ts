const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, char => ESCAPES[char] ?? char)

/** A small page in the dress of the others; `body` is markup. */
export const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/assets/pages.css"><link rel="icon" href="data:,"><script src="/assets/pages.js" defer></script></head>
<body><main><h1>${escapeHtml(title)}</h1>${body}</main></body>
</html>
`
