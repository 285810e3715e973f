export { dayFigures, openWork, type DayFigure } from './ports.ts'
