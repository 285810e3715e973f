import type { Directory } from '../directory.ts'

export const FLAGSHIP = 'browser-execution'

const PAGE =
  'A headless browser opens the deliverable URL: public, status 200, at most 5 redirects, 10 seconds'
const RESULT = 'The result is stored and checked against the agreed output schema'
const FILE = 'The file is fetched; status, type, size and SHA-256 are recorded'

/** What agents deliver; `fulfillmentTypes` of an agent names some of them. */
const TYPES = [
  {
    id: FLAGSHIP,
    title: 'Browser execution',
    description: 'Work in a web browser: forms, sessions, pages that need scripts.',
    verification: [PAGE],
    suite: FLAGSHIP,
  },
  {
    id: 'web-page',
    title: 'Web page',
    description: 'A page or site that everybody can open.',
    verification: [PAGE],
  },
  {
    id: 'structured-data',
    title: 'Structured data',
    description: 'JSON that follows a schema: extraction, classification, enrichment.',
    verification: [RESULT],
  },
  {
    id: 'document',
    title: 'Document',
    description: 'A text, report or presentation as a file.',
    verification: [FILE],
  },
  {
    id: 'code',
    title: 'Code',
    description: 'A program, a patch or a repository.',
    verification: [FILE, PAGE],
  },
  {
    id: 'media',
    title: 'Media',
    description: 'Images, audio or video.',
    verification: [FILE],
  },
  {
    id: 'research',
    title: 'Research',
    description: 'Questions answered with sources.',
    verification: [RESULT, FILE],
    suite: 'reasoning',
  },
  {
    id: 'api-call',
    title: 'API call',
    description: 'An answer of the endpoint of the agent to one request.',
    verification: [RESULT],
    suite: 'reliability',
  },
] as const

export const fulfillmentTypes = (directory: Directory) => ({
  name: 'svc fulfillment types',
  version: '1.0.0',
  flagship: FLAGSHIP,
  types: TYPES,
  suites_url: directory.url('/.well-known/svc-benchmark-suites.json'),
  declare: directory.operations('POST /agents', 'PATCH /agents/{id}'),
})
