/** The sandbox as any of the services that the specification leaves room for. */
export {
	describeVariants,
	randomVariants,
	readVariant,
	singleVariants,
	usualChoice,
} from './choice';
export {
	variationPoints,
	variationPointNames,
	valuesOf,
	type Choice,
	type VariationPointName,
} from './table';
