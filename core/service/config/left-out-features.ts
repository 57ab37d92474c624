import type { FeaturePlugin } from "../../features/feature-plugin.ts";
import { type Environment, variablesOf } from "./environment.ts";

/** A feature that comes with this package, and that a configuration may leave out. */
export interface ShippedFeature extends Pick<FeaturePlugin, "name" | "options"> {
	/** Module that exports the function which creates the feature, under the name of the feature. */
	readonly module: string;
	/** Returns the paths of members of a configuration, which may be invalid, that have no effect without the feature. Default: none. */
	findUses?(config: Readonly<Record<string, unknown>>): readonly string[];
}

let registeredFeatures: readonly ShippedFeature[] = [];

/** Registers the features that come with this package. Until then, there are none. */
export function registerShippedFeatures(features: readonly ShippedFeature[]): void {
	registeredFeatures = features;
}

/** Returns the features that come with this package. */
export function shippedFeatures(): readonly ShippedFeature[] {
	return registeredFeatures;
}

/** Returns the hint that tells how to add the feature with a name, which may be unknown. */
export function toAddHint(name: string): string {
	const feature = registeredFeatures.find((one) => one.name === name);
	return feature === undefined ? `add a feature "${name}" to features` : `add ${name}() of ${feature.module} to features`;
}

/**
 * Returns the features of this package that a configuration leaves out, as calls such as `audit()`.
 *
 * @param listed names of the features that the configuration lists
 */
export function findLeftOutFeatures(listed: readonly string[]): readonly string[] {
	return registeredFeatures.flatMap(({ name }) => (listed.includes(name) ? [] : [`${name}()`]));
}

/**
 * Returns a problem for each member and each variable that configures a feature of this package that the configuration leaves out. They
 * would have no effect: an operator would believe, for example, that changes are audited.
 */
export function findLeftOutOptions(
	input: Readonly<Record<string, unknown>>,
	{ env, names }: { readonly env: Environment; readonly names: readonly string[] },
): string[] {
	return registeredFeatures.flatMap(({ name, options = {}, findUses }) => {
		if (names.includes(name)) return [];
		const sections = Object.keys(options).filter((section) => input[section] !== undefined);
		const variables = variablesOf(options).filter((variable) => (env[variable] ?? "").trim() !== "");
		const places = [...(findUses?.(input) ?? []), ...sections, ...variables.map((variable) => `environment variable ${variable}`)];
		return places.map((place) => `${place}: the feature "${name}" is not listed in features; hint: ${toAddHint(name)}`);
	});
}
