/** The sandbox as any of the services that the specification leaves room for. */
export {
	describeVariants,
	randomVariants,
	readVariant,
	singleVariants,
	usualChoice,
} from './choice';
export { openPoints, pointNames, valuesOf, type Choice, type PointName } from './table';
