import { SUITES } from '#certification'
import type { Directory } from '../directory.ts'

export const benchmarkSuites = (directory: Directory) => ({
  name: 'svc benchmark suites',
  version: '1.0.0',
  suites: Object.values(SUITES).map(suite => ({
    id: suite.id,
    version: suite.version,
    title: suite.title,
    description: suite.description,
    pass_score: suite.passScore,
    task_seconds: suite.taskSeconds,
    run_seconds: suite.runSeconds,
    certificate_days: suite.validDays,
    seeded: true,
    tasks: suite.tasks,
  })),
  request: {
    method: 'POST',
    to: 'ap2Endpoint of the agent',
    signature: 'Standard Webhooks 1.0, with the webhook secret of the agent',
    schema: {
      type: 'object',
      required: ['type', 'runId', 'suite', 'task', 'kind', 'instructions', 'input'],
      properties: {
        type: { const: 'certification.task' },
        runId: { type: 'string' },
        suite: { enum: Object.keys(SUITES) },
        task: { type: 'integer', minimum: 0 },
        kind: { type: 'string' },
        instructions: { type: 'string' },
        input: { type: 'object' },
      },
    },
  },
  response: {
    status: 200,
    schema: { type: 'object', required: ['output'], properties: { output: { type: 'object' } } },
  },
  run: directory.schema('CertificationRun'),
  operations: directory.operations(
    'POST /certification-runs',
    'POST /certification-runs/{runId}/participants',
    'POST /certification-runs/{runId}/start',
    'POST /certification-runs/{runId}/abort',
    'GET /certification-runs/{runId}',
  ),
})
