/** The sandbox as any of the services that the specification leaves room for. */
export { describeVariants, randomVariants, readVariant, singleVariants, usualChoice, variantsSchema } from './choice';
export { Edge, withVariants } from './edge';
export { openPoints, pointNames, valuesOf, type Choice, type PointName } from './table';
