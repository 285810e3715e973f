import { createHash, createHmac } from 'node:crypto'
import { Type } from '#platform/http/type'
import { html, Html } from '#platform/http/page/html'
import { htmlPage } from '#platform/http/page/layout'
import { page, type App } from '#platform/http/operations'
import { apiError } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import { sameText } from '#platform/kernel/secrets'
import type { Services } from '#platform/kernel/services'
import { CERTIFICATION } from './errors.ts'
import { participantInProgress } from './sql.ts'
import { BROWSER_TASKS, browserScene, type BrowserScene } from './suites/browser.ts'

type Keys = Pick<Services, 'secrets'>

/** Written a moment after the page has loaded, so that only a browser sees it. */
const SCRIPT_MS = 300

/** The address of the pages of a task; only those who were sent it can guess it. */
export const pageAddress = (
  services: Keys & Pick<Services, 'publicUrl'>,
  participantId: string,
  task: number,
) =>
  `${services.publicUrl}/certification-pages/${participantId}.${task}.${proofOf(services, participantId, task)}`

const proofOf = ({ secrets }: Keys, participantId: string, task: number): string =>
  createHmac('sha256', secrets.derive('certification/pages'))
    .update(`${participantId}.${task}`)
    .digest('base64url')
    .slice(0, 22)

const Query = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, description: 'Of a task with several pages' })),
  name: Type.Optional(Type.String({ maxLength: 100, description: 'Of the form' })),
  quantity: Type.Optional(Type.String({ maxLength: 20, description: 'Of the form' })),
})
interface PageInput {
  page?: number
  name?: string
  quantity?: string
}

/** The pages that agents open in the suite `browser-execution`. */
export function certificationPages(app: App, services: Services): void {
  page(app, {
    method: 'GET',
    url: '/certification-pages/{token}',
    id: 'showCertificationPage',
    tag: 'Certification runs',
    summary: 'Show a page of a browser task',
    description:
      'The address is part of a task of the suite `browser-execution`. 404 when its run has ended.',
    access: 'public',
    params: Type.Object({ token: Type.String({ maxLength: 200 }) }),
    query: Query,
    produces: 'text/html',
    errors: [404],
    success: [200, Type.String()],
    run: async (_, { params, query }) => show(await sceneOf(services, params.token), query),
  })
}

async function sceneOf(services: Services, token: string): Promise<BrowserScene> {
  const [participantId = '', index = '', proof = ''] = token.split('.')
  const task = Number(index)
  const isKnown = isId(participantId) && Number.isInteger(task) && task >= 0 && task < BROWSER_TASKS
  const row =
    isKnown && sameText(proof, proofOf(services, participantId, task))
      ? await services.db.maybe(participantInProgress(participantId))
      : undefined
  if (!row) throw apiError(CERTIFICATION.CERTIFICATION_RUN_NOT_FOUND)
  return browserScene(row.seed, task)
}

function show(scene: BrowserScene, query: PageInput) {
  switch (scene.kind) {
    case 'script':
      return withScript(html`<p id="code">Please wait.</p>`, scriptOf(scene))
    case 'click':
      return withScript(
        html`<p>Number: <b id="number">${scene.start}</b></p>
          <button id="more" type="button">Add</button>`,
        `document.getElementById('more').onclick = () => { const n = document.getElementById('number'); n.textContent = Number(n.textContent) + ${scene.step} }`,
      )
    case 'pages':
      return listPage(scene, query.page ?? 1)
    case 'form':
      return formPage(scene, query)
  }
}

const scriptOf = ({ factors: [a, b, c] }: Extract<BrowserScene, { kind: 'script' }>): string =>
  `setTimeout(() => { document.getElementById('code').textContent = 'Access code: ' + (${a} * ${b} + ${c}) }, ${SCRIPT_MS})`

function listPage({ pages }: Extract<BrowserScene, { kind: 'pages' }>, number: number) {
  const items = pages[number - 1] ?? []
  const rows = items.map(
    ({ name, category, price }) =>
      html`<tr>
        <td>${name}</td>
        <td>${category}</td>
        <td>${price}</td>
      </tr>`,
  )
  const next =
    number < pages.length ? html`<a href="?page=${number + 1}">Next page</a>` : html`<p>Last page</p>`
  return document(
    html`<table>
        <tr>
          <th>Item</th>
          <th>Category</th>
          <th>Price</th>
        </tr>
        ${rows}
      </table>
      ${next}`,
  )
}

function formPage({ codeOf }: Extract<BrowserScene, { kind: 'form' }>, { name, quantity }: PageInput) {
  if (name !== undefined && quantity !== undefined)
    return document(html`<p>Confirmation code: <b id="code">${codeOf(name, quantity)}</b></p>`)
  return document(
    html`<form method="get">
      <label>Name <input name="name" /></label>
      <label>Quantity <input name="quantity" /></label>
      <button>Send</button>
    </form>`,
    { 'form-action': "'self'" },
  )
}

function withScript(content: Html, script: string) {
  const hash = createHash('sha256').update(script).digest('base64')
  return document(html`${content}${new Html(`<script>${script}</script>`)}`, {
    'script-src': `'sha256-${hash}'`,
  })
}

const document = (content: Html, policy: NonNullable<Parameters<typeof htmlPage>[1]>['policy'] = {}) =>
  htmlPage(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <title>Certification task</title>
        </head>
        <body>
          ${content}
        </body>
      </html>`.text,
    { policy, headers: { 'cache-control': 'no-store' } },
  )
