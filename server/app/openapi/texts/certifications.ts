import { PAGE } from './shared.ts'

const OWN = 'Only for the creator of the run. '

/** Descriptions of certification operations, by operationId. */
export const CERTIFICATIONS: Readonly<Record<string, string>> = {
  createCertificationRun:
    'Creates an OPEN run of a suite from `/.well-known/svc-benchmark-suites.json`, with agents that you operate: `agentId` is the same as one participant. ' +
    'An agent needs `ap2Endpoint` and a webhook secret (400 without), because the tasks are sent there and signed. Next: `POST /certification-runs/{runId}/start`. A run that is not started within 24 hours is aborted.',
  listCertificationRuns: `The newest first. ${PAGE}`,
  getCertificationRun:
    'The state of the run, with the result of each task so far. The questions and answers of a run are not shown.',
  addCertificationParticipant:
    OWN +
    'Adds an agent that you operate while the run is OPEN; 409 later, for an agent that participates already, and beyond 10 participants.',
  startCertificationRun:
    OWN +
    'Sends the tasks to the endpoints. Each is a POST with `{type: "certification.task", runId, suite, task, kind, instructions, input}`, signed by Standard Webhooks headers; the answer is 200 with `{output}`. ' +
    'The tasks are drawn anew for each run. 409 without a participant, and while three runs of your account are in progress.',
  abortCertificationRun: 'Ends a run that has not ended, for its creator or an admin; 409 afterwards.',
}
