import { loadRun, type Command } from './command.ts'

export const doctor: Command = {
  name: 'doctor',
  summary:
    'Checks the settings, the database, the clock, the browser that verifies deliveries, the SMTP server, and with Stripe its key and webhooks. Exit status 1 if there are findings.',
  run: loadRun(() => import('./run/doctor.ts')),
}
