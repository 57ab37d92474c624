import type { Feature } from "./feature.ts";
import type { Kernel } from "./kernel.ts";

declare module "../contract/config.ts" {
	interface Composition {
		/**
		 * Creates the features of the service: those of `createFeatures` (`svc-automation/feature`), some of them, or additional ones. Default:
		 * all of `createFeatures`. This interface is not stable yet: the next version may change what a feature must provide.
		 */
		readonly features?: CreateFeatures;
	}
}

/** Features by name. The composition chooses the names; the order of the members is the order of the features. */
export type FeatureList = Readonly<Record<string, Feature>>;

/** Creates the features of an engine. */
export type CreateFeatures<F extends FeatureList = FeatureList> = (kernel: Kernel) => F;

/** Converts a union type to the intersection of its members. */
type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (member: infer I) => void ? I : never;

/** Members that the features of a list add to an engine. */
export type ApiOf<F extends FeatureList> = Intersection<F[keyof F]["api"]>;
