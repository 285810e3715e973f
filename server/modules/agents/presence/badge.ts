import type { Agent, TrustTier } from '../agent.ts'

const COLORS: Record<TrustTier, { name: string; hex: string }> = {
  UNVERIFIED: { name: 'lightgrey', hex: '#9f9f9f' },
  BASIC: { name: 'blue', hex: '#007ec6' },
  VERIFIED: { name: 'green', hex: '#97ca00' },
  TRUSTED: { name: 'brightgreen', hex: '#4c1' },
}
const LABEL = 'trust'
const GLYPH = 7
const PADDING = 10

type Rated = Pick<Agent, 'trustTier' | 'trustScore'>

const messageOf = ({ trustTier, trustScore }: Rated): string => `${trustTier.toLowerCase()} ${trustScore}`

/** The trust badge in the endpoint format of shields.io. */
export const badgeJson = (agent: Rated) => ({
  schemaVersion: 1 as const,
  label: LABEL,
  message: messageOf(agent),
  color: COLORS[agent.trustTier].name,
  cacheSeconds: 300,
})

/** The trust badge as SVG. All its texts are constants, so nothing needs escaping. */
export function badgeSvg(agent: Rated): string {
  const message = messageOf(agent)
  const left = LABEL.length * GLYPH + PADDING
  const right = message.length * GLYPH + PADDING
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" ` +
    `aria-label="${LABEL}: ${message}">` +
    `<title>${LABEL}: ${message}</title><rect width="${left}" height="20" fill="#555"/>` +
    `<rect x="${left}" width="${right}" height="20" fill="${COLORS[agent.trustTier].hex}"/>` +
    `<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,sans-serif" font-size="11">` +
    `<text x="${left / 2}" y="14">${LABEL}</text><text x="${left + right / 2}" y="14">${message}</text></g></svg>\n`
  )
}

/** True if `accept` prefers an image to JSON. */
export const wantsPicture = (accept: string | undefined): boolean =>
  /image\/(?:svg\+xml|\*)/.test(accept ?? '') && !/application\/json/.test(accept ?? '')
