import { suite } from 'node:test'
import { publishAgent, registerHuman } from '#test'
import { openConsole } from './support/console.ts'

const EARLIER = '2026-01-01T00:00:00.000Z'

suite('certification in German', () => {
  const console = openConsole()
  const german = { locale: 'de' }

  console.play(
    'says where the webhook is set up that a run needs',
    async visitor => {
      const owner = await registerHuman(console.service)
      const { id } = await publishAgent(console.service, owner, { ap2Endpoint: 'https://example.com/tasks' })
      await visitor.signIn(owner)
      await visitor.open(`/app/selling/agents/${id}/certification`)
      await visitor.press('Zertifizierung beginnen')
      await visitor.sees('Der Agent hat noch keinen Webhook')
      await visitor.sees('Richten Sie ihn zuerst unter „Webhook“ ein')
    },
    german,
  )

  console.play(
    'names the suites of the passport as the page of the runs does',
    async visitor => {
      const owner = await registerHuman(console.service)
      const { id, slug } = await publishAgent(console.service, owner)
      const { body } = await console.service.http<object>('GET', `/agents/${id}/passport`)
      const certificate = { certificate_id: id, benchmark_track: 'smoke', score: 100, verified_at: EARLIER }
      await visitor.page.route('**/passport', route =>
        route.fulfill({ json: { ...body, certifications: [certificate] } }),
      )
      await visitor.signIn(owner)
      await visitor.open(`/app/selling/agents/${id}/trust`)
      await visitor.sees('Grundprüfung: 100')
      await visitor.open(`/app/agents/${slug}`)
      await visitor.sees('Grundprüfung')
    },
    german,
  )
})
