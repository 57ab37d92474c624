import { type Options, optionSections } from "../../contract/index.ts";
import { type Environment, toVariableName } from "./environment.ts";

interface OptionalFeature {
	/** Call that creates the feature, such as `audit()`. */
	readonly call: string;
	readonly module: string;
	/** Section of options that only this feature uses. */
	readonly section?: keyof Options;
}

/** Features of this package that a configuration may leave out, by name. */
const optionalFeatures: Readonly<Record<string, OptionalFeature>> = {
	webUi: { call: "webUi()", module: "svc-automation/plugins/feature-web-ui" },
	audit: { call: "audit()", module: "svc-automation/plugins/feature-audit", section: "audit" },
	aliases: { call: "aliases()", module: "svc-automation/plugins/feature-aliases" },
	packInstaller: { call: "packInstaller()", module: "svc-automation/plugins/feature-pack-installer" },
	workers: { call: "workers()", module: "svc-automation/plugins/feature-workers", section: "workers" },
};

/** Returns the hint that tells how to add the feature with a name, which may be unknown. */
export function toAddHint(name: string): string {
	const feature = optionalFeatures[name];
	return feature === undefined ? `add a feature "${name}" to features` : `add ${feature.call} of ${feature.module} to features`;
}

/**
 * Returns the features of this package that a configuration leaves out, as calls such as `audit()`.
 *
 * @param listed names of the features that the configuration lists
 */
export function findLeftOutFeatures(listed: readonly string[]): readonly string[] {
	return Object.entries(optionalFeatures).flatMap(([name, { call }]) => (listed.includes(name) ? [] : [call]));
}

/**
 * Returns a problem for each section and each variable that sets an option of a feature that the configuration leaves out, and for a pack in
 * git without the feature that follows it. They would have no effect: an operator would believe, for example, that changes are audited.
 */
export function findLeftOutOptions(
	input: Readonly<Record<string, unknown>>,
	{ env, names }: { readonly env: Environment; readonly names: readonly string[] },
): string[] {
	const packs: readonly unknown[] = Array.isArray(input["packs"]) ? input["packs"] : [];
	const followed = packs.findIndex((pack) => typeof pack === "object");
	const followedPlaces = followed === -1 ? [] : [`packs[${followed}]`];
	const placesByFeature = [
		["packInstaller", followedPlaces],
		...Object.entries(optionalFeatures).map(([name, { section }]) => [name, findPlaces(input, env, section)] as const),
	] as const;
	return placesByFeature.flatMap(([name, places]) =>
		names.includes(name)
			? []
			: places.map((place) => `${place}: the feature "${name}" is not listed in features; hint: ${toAddHint(name)}`),
	);
}

/** Returns where a configuration or the environment sets an option of a section. */
function findPlaces(input: Readonly<Record<string, unknown>>, env: Environment, section: keyof Options | undefined): readonly string[] {
	if (section === undefined) return [];
	const variables = Object.keys(optionSections[section])
		.map((option) => toVariableName(section, option))
		.filter((variable) => (env[variable] ?? "").trim() !== "");
	return [...(input[section] === undefined ? [] : [section]), ...variables.map((variable) => `environment variable ${variable}`)];
}
