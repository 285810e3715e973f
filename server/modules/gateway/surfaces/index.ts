export { surfaceRoutes, type SurfaceParts } from './routes.ts'
