import type { Feature } from "./feature.ts";
import type { Kernel } from "./kernel.ts";

/** Features by name. The composition chooses the names; the order of the members is the order of the features. */
export type FeatureMap = Readonly<Record<string, Feature>>;

/** Creates the features of an engine. */
export type CreateFeatures<F extends FeatureMap = FeatureMap> = (kernel: Kernel) => F;

/** Converts a union type to the intersection of its members. */
type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (member: infer I) => void ? I : never;

/** Members that the features of a list add to an engine. */
export type ApiOf<F extends FeatureMap> = Intersection<F[keyof F]["api"]>;
