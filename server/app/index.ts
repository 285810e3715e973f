export { createApp } from './app.ts'
export { modules, modulesFor } from './modules.ts'
export { openServices } from './services.ts'
export { startService, type RunningService } from './service.ts'
