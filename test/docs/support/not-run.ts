/** Samples that another test runs from the documentation, by their key. */
export const RUN_BY: Readonly<Record<string, string>> = {
  'README.md#Start 2': 'test/acceptance/readme.test.ts',
  'README.md#Hire an agent': 'test/acceptance/readme.test.ts',
  'README.md#Hire an agent 2': 'test/acceptance/readme.test.ts',
  'README.md#Pay by card': 'test/acceptance/readme.test.ts',
  'README.md#Pay out': 'test/acceptance/readme.test.ts',
  'README.md#Route prompts': 'test/acceptance/readme.test.ts',
  'README.md#Route prompts 2': 'test/acceptance/readme-gateway.test.ts',
  'README.md#Refer people': 'test/acceptance/readme.test.ts',
  'README.md#An agent in 20 lines': 'test/sdk/package.test.ts',
  'docs/SDK.md#Buy': 'test/sdk/package.test.ts',
  'docs/SDK.md#Prompts': 'test/sdk/package.test.ts',
  'docs/guides/cli-quick-start.md#Quick start with the command line': 'test/cli/client.test.ts',
  'docs/guides/cli-quick-start.md#Sell': 'test/cli/client.test.ts',
  'docs/guides/cli-quick-start.md#Buy': 'test/cli/client.test.ts',
  'docs/guides/cli-quick-start.md#Deliver and be paid': 'test/cli/client.test.ts',
  'docs/guides/cli-quick-start.md#Deliver and be paid 2': 'test/cli/client.test.ts',
  'docs/guides/curl-quick-start.md#Quick start with curl': 'test/cli/client.test.ts',
  'docs/guides/curl-quick-start.md#Sell': 'test/cli/client.test.ts',
  'docs/guides/curl-quick-start.md#Buy': 'test/cli/client.test.ts',
  'docs/guides/curl-quick-start.md#Deliver and be paid': 'test/cli/client.test.ts',
  'docs/adding-a-module.md#1. The entry in the registry': 'test/acceptance/adding-a-module.test.ts',
  'docs/adding-a-module.md#2. The table': 'test/acceptance/adding-a-module.test.ts',
  'docs/adding-a-module.md#2. The table 2': 'test/acceptance/adding-a-module.test.ts',
  'docs/adding-a-module.md#3. The event': 'test/acceptance/adding-a-module.test.ts',
  'docs/adding-a-module.md#3. The event 2': 'test/acceptance/adding-a-module.test.ts',
  'docs/adding-a-module.md#4. Commands': 'test/acceptance/adding-a-module.test.ts',
  'docs/adding-a-module.md#5. The route': 'test/acceptance/adding-a-module.test.ts',
  'docs/adding-a-module.md#6. The definition': 'test/acceptance/adding-a-module.test.ts',
}

const INSTALLS = 'installs packages from the registry'
const BENCHMARK = 'a benchmark, which takes minutes'
const BACKUP = 'replaces the data of an installation; test/faults/backup.test.ts runs the same commands'
const FRAGMENT = 'a fragment for a table that does not exist; docs/adding-a-module.md has the same as a whole'

/** Samples that no test runs, with the reason. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'CONTRIBUTING.md#Work on the code': 'the commands of CI, of which this test is a part',
  'README.md#Start': INSTALLS,
  'docs/SDK.md#Sell':
    'it continues the program of the README; test/sdk/client.test.ts works on a run in this form',
  'docs/SDK.md#SDK': 'test/sdk/package.ts packs and installs with other options, without the network',
  'docs/SDK.md#Python': 'npm run check runs the generator where it is installed',
  'docs/MCP.md#Set it up 4': 'needs the program of another vendor',
  'docs/OPERATIONS.md#Primary and standby': 'a setting, not a command; npm run scale -- failover uses it',
  'docs/OPERATIONS.md#Primary and standby 2': 'settings of PostgreSQL; npm run scale -- failover uses them',
  'docs/OPERATIONS.md#The database': 'needs psql, which npm does not bring',
  'docs/OPERATIONS.md#The database 2':
    'it makes a role of the whole server; kernel/database/migrate.test.ts migrates into a schema beside another',
  'docs/OPERATIONS.md#Backup and restore': BACKUP,
  'docs/OPERATIONS.md#Backup and restore 2': 'a line for cron',
  'docs/OPERATIONS.md#Backup and restore 3': BACKUP,
  'docs/OPERATIONS.md#Backup and restore 4': 'needs root and the data of the sample before',
  'docs/OPERATIONS.md#Another server or version': BACKUP,
  'docs/OPERATIONS.md#Point-in-time recovery': 'test/faults/recovery.test.ts runs the same commands',
  'docs/OPERATIONS.md#Tried: stop, restart and rotation under load':
    'needs a service that is stopped meanwhile; test/faults/restart.test.ts does so',
  'docs/OPERATIONS.md#Alerts, dashboard and traces':
    'needs promtool; test/acceptance/monitoring.test.ts runs it where it is installed',
  'docs/OPERATIONS.md#Upgrade': BACKUP,
  'docs/OPERATIONS.md#Upgrade 2': BACKUP,
  'docs/OPERATIONS.md#Upgrade without a pause':
    'needs two versions; test/faults/restart.test.ts starts them beside each other',
  'docs/RELIABILITY.md#Kills under load: `npm run chaos`':
    'takes an hour; test/chaos/chaos.test.ts runs a short one',
  'docs/RELIABILITY.md#Several processes: `npm run scale`':
    'takes minutes; test/scale/rolling.test.ts runs a short one',
  'docs/RELIABILITY.md#Random requests: `npm run fuzz`':
    'takes minutes; test/fuzz/fuzz.test.ts runs a short one',
  'docs/PERFORMANCE.md#Deals': BENCHMARK,
  'docs/PERFORMANCE.md#Deals 2': BENCHMARK,
  'docs/PERFORMANCE.md#Ledger': BENCHMARK,
  'docs/PERFORMANCE.md#Simple reads': BENCHMARK,
  'docs/PERFORMANCE.md#Search': BENCHMARK,
  'docs/PERFORMANCE.md#Routing gateway': BENCHMARK,
  'docs/PERFORMANCE.md#An idle service': BENCHMARK,
  'docs/PERFORMANCE.md#Memory under load': BENCHMARK,
  'docs/adding-an-endpoint.md#Adding an endpoint': FRAGMENT,
  'docs/adding-an-endpoint.md#Adding an endpoint 2': FRAGMENT,
  'docs/ARCHITECTURE.md#Architecture': 'a drawing',
  'README.md#Where things are': 'a drawing',
}
