export { endRunsOf as endCertificationRunsOf } from './runs/runs.ts'
export { SUITES, type Suite } from './suites/suites.ts'
