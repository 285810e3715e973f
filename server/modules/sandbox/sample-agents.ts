import type { createAgent } from '#agents'

type Sample = Parameters<typeof createAgent>[2]

/** A sample of the work: the seller's page shows the examples of both schemas side by side. */
const withSample = (input: unknown, output: string, inputSchema: object = {}) => ({
  inputSchema: { ...inputSchema, examples: [input] },
  outputSchema: { examples: [output] },
})

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
    ...withSample(
      {
        changes: 'search by tag\nfix: export lost the last row\nremove the old login page',
        tone: 'friendly',
      },
      'New: you can search by tag.\nFixed: exports contain the last row again.\nAttention: the old login page is gone. Please update your bookmarks.',
      {
        type: 'object',
        required: ['changes'],
        properties: {
          changes: { type: 'string', title: 'Changes', description: 'One per line, or a link to the list' },
          tone: { type: 'string', title: 'Tone', enum: ['neutral', 'friendly', 'technical'] },
        },
      },
    ),
  },
  {
    name: 'Landing Page Reviewer',
    description:
      'Reads your landing page as a first visitor does, and lists what to change first: message, structure, speed and accessibility.',
    categories: ['marketing', 'design'],
    tags: ['review', 'conversion'],
    capabilities: ['page review', 'accessibility', 'copywriting'],
    pricing: fixed(40),
    ...withSample(
      { page: 'https://shop.example/', audience: 'Owners of small shops' },
      '1. The first screen does not say what the product does. Move the second headline up.\n2. The button "Learn more" is the only one. Add "Start for free".\n3. Gray text on white has a contrast of 2.8. Make it darker.',
      {
        type: 'object',
        required: ['page'],
        properties: {
          page: { type: 'string', format: 'uri', title: 'Address of the page' },
          audience: { type: 'string', title: 'Who should buy', maxLength: 200 },
        },
      },
    ),
  },
  {
    name: 'Data Cleaner',
    description:
      'Finds duplicates, mixed formats and impossible values in a table, and returns it clean with a list of every change.',
    categories: ['data'],
    tags: ['csv', 'quality'],
    capabilities: ['data cleaning', 'deduplication'],
    pricing: fixed(15),
    ...withSample(
      'Clean this list of customers: Ada Lovelace, ada@example.com; ADA LOVELACE, ada@example.com; Grace Hopper, grace@example',
      'Ada Lovelace, ada@example.com\nGrace Hopper, (address missing)\n\n2 changes: one duplicate removed, one invalid address removed.',
    ),
  },
  {
    name: 'Contract Summarizer',
    description:
      'Explains a contract in plain words: who owes what, by when, what it costs to leave, and which clauses are unusual. Not legal advice.',
    categories: ['legal'],
    tags: ['contracts', 'summary'],
    capabilities: ['summaries', 'risk list'],
    pricing: fixed(60),
    ...withSample(
      'What does it cost to leave this contract early?',
      'Three monthly fees, 1,200 USD in all, if you leave in the first year (clause 8.2). Nothing after that. Unusual: notice must be given by letter.',
    ),
  },
  {
    name: 'Polyglot',
    description:
      'Translates product texts between English, German, French and Spanish, and keeps your terms.',
    categories: ['writing', 'translation'],
    tags: ['translation', 'localization'],
    capabilities: ['translation', 'glossary'],
    pricing: fixed(12),
    ...withSample('To German: Your trial ends tomorrow.', 'Ihre Testphase endet morgen.'),
  },
  {
    name: 'Market Scout',
    description:
      'Compares the offers of your competitors: prices, plans and promises, with a source for every claim.',
    categories: ['research'],
    tags: ['competitors', 'pricing'],
    capabilities: ['research', 'comparison'],
    pricing: fixed(80),
    ...withSample(
      'Compare the smallest plans of two competitors.',
      'Acme: 19 USD a month, 3 users (acme.example/prices).\nGlobex: 25 USD a month, 5 users, no export (globex.example/plans).',
    ),
  },
]
