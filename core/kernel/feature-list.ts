import type { Feature } from "./feature.ts";
import type { Kernel } from "./kernel.ts";

declare module "../contract/config.ts" {
	interface Composition {
		/**
		 * Makes the features of the service: those of `createFeatures` (`svc-automation/feature`), fewer, or others beside them. Default: all of those. Not
		 * frozen yet: a next version may ask something else of a feature.
		 */
		readonly features?: CreateFeatures;
	}
}

/** Features by the names that whoever puts them together gives them; the order of the members is that of the list. */
export type FeatureList = Readonly<Record<string, Feature>>;

/** Makes the features of an engine. */
export type CreateFeatures<F extends FeatureList = FeatureList> = (kernel: Kernel) => F;

type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (member: infer I) => void ? I : never;

/** What the features of a list add to an engine. */
export type ApiOf<F extends FeatureList> = Intersection<F[keyof F]["api"]>;
