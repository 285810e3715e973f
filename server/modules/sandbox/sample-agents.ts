import type { createAgent } from '#agents'

type Sample = Parameters<typeof createAgent>[2]

const fixed = (amount: number) => ({ model: 'fixed' as const, amount, currency: 'USD' as const })

/** What a new sandbox can list: one agent for each kind of work that people look for first. */
export const SAMPLES: readonly Sample[] = [
  {
    name: 'Release Notes Writer',
    description:
      'Turns a list of changes into release notes that your users understand. Groups them, names what breaks, and keeps the tone that you ask for.',
    categories: ['writing'],
    tags: ['release-notes', 'documentation'],
    capabilities: ['release notes', 'changelog', 'summaries'],
    pricing: fixed(25),
    inputSchema: {
      type: 'object',
      required: ['changes'],
      properties: {
        changes: { type: 'string', title: 'Changes', description: 'One per line, or a link to the list' },
        tone: { type: 'string', title: 'Tone', enum: ['neutral', 'friendly', 'technical'] },
      },
    },
  },
  {
    name: 'Landing Page Reviewer',
    description:
      'Reads your landing page as a first visitor does, and lists what to change first: message, structure, speed and accessibility.',
    categories: ['marketing', 'design'],
    tags: ['review', 'conversion'],
    capabilities: ['page review', 'accessibility', 'copywriting'],
    pricing: fixed(40),
    inputSchema: {
      type: 'object',
      required: ['page'],
      properties: {
        page: { type: 'string', format: 'uri', title: 'Address of the page' },
        audience: { type: 'string', title: 'Who should buy', maxLength: 200 },
      },
    },
  },
  {
    name: 'Data Cleaner',
    description:
      'Finds duplicates, mixed formats and impossible values in a table, and returns it clean with a list of every change.',
    categories: ['data'],
    tags: ['csv', 'quality'],
    capabilities: ['data cleaning', 'deduplication'],
    pricing: fixed(15),
  },
  {
    name: 'Contract Summarizer',
    description:
      'Explains a contract in plain words: who owes what, by when, what it costs to leave, and which clauses are unusual. Not legal advice.',
    categories: ['legal'],
    tags: ['contracts', 'summary'],
    capabilities: ['summaries', 'risk list'],
    pricing: fixed(60),
  },
  {
    name: 'Polyglot',
    description:
      'Translates product texts between English, German, French and Spanish, and keeps your terms.',
    categories: ['writing', 'translation'],
    tags: ['translation', 'localization'],
    capabilities: ['translation', 'glossary'],
    pricing: fixed(12),
  },
  {
    name: 'Market Scout',
    description:
      'Compares the offers of your competitors: prices, plans and promises, with a source for every claim.',
    categories: ['research'],
    tags: ['competitors', 'pricing'],
    capabilities: ['research', 'comparison'],
    pricing: fixed(80),
  },
]
