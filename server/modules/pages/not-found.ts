import { html } from '#platform/http/page/html'
import { card, layout } from '#platform/http/page/layout'

/** For a path that neither the API nor the console has. */
export const notFound = (): string =>
  layout(
    'Page not found',
    card(
      'There is nothing here',
      html` <p>The address may be mistyped, or the page has been removed.</p>
        <p class="actions">
          <a class="button" href="/">Go to the start</a><a class="button plain" href="/docs">Documentation</a>
        </p>`,
    ),
  )
