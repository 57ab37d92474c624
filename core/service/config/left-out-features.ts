import { type Options, optionSections } from "../../contract/index.ts";
import { type Environment, toVariableName } from "./environment.ts";

interface OptionalFeature {
	/** How a configuration adds the feature. */
	readonly add: string;
	readonly module: string;
	/** Section of options that only this feature uses. */
	readonly section?: keyof Options;
}

/** Features of this package that a configuration may leave out, by name. */
const optionalFeatures: Readonly<Record<string, OptionalFeature>> = {
	webUi: { add: "webUi()", module: "svc-automation/plugins/feature-web-ui" },
	audit: { add: "audit()", module: "svc-automation/plugins/feature-audit", section: "audit" },
	aliases: { add: "aliases()", module: "svc-automation/plugins/feature-aliases" },
	packInstaller: { add: "packInstaller()", module: "svc-automation/plugins/feature-pack-installer" },
	workers: { add: "workers()", module: "svc-automation/plugins/feature-workers", section: "workers" },
};

/** Returns how a configuration adds the feature with a name. */
export function toAddHint(name: string): string {
	const feature = optionalFeatures[name];
	return feature === undefined ? `add a feature "${name}" to features` : `add ${feature.add} of ${feature.module} to features`;
}

/** Returns the features of this package that a configuration leaves out, as it would add them. */
export function findLeftOutFeatures(names: readonly string[]): readonly string[] {
	return Object.entries(optionalFeatures).flatMap(([name, { add }]) => (names.includes(name) ? [] : [add]));
}

/**
 * Returns a problem for each section and each variable that sets an option of a feature that the configuration leaves out. The option would
 * have no effect: an operator would believe, for example, that changes are audited.
 */
export function findLeftOutOptions(
	input: Readonly<Record<string, unknown>>,
	{ env, names }: { readonly env: Environment; readonly names: readonly string[] },
): string[] {
	const entries = Array.isArray(input["packs"]) ? input["packs"] : [];
	const followed = names.includes("packInstaller") ? -1 : entries.findIndex((pack) => typeof pack === "object");
	const problem = `packs[${followed}]: the feature "packInstaller" is not listed in features; hint: ${toAddHint("packInstaller")}`;
	return [...(followed < 0 ? [] : [problem]), ...findLeftOutSections(input, env, names)];
}

function findLeftOutSections(input: Readonly<Record<string, unknown>>, env: Environment, names: readonly string[]): string[] {
	return Object.entries(optionalFeatures).flatMap(([name, { section }]) => {
		if (section === undefined || names.includes(name)) return [];
		const variables = Object.keys(optionSections[section])
			.map((option) => toVariableName(section, option))
			.filter((variable) => (env[variable] ?? "").trim() !== "");
		const given = [...(input[section] === undefined ? [] : [section]), ...variables.map((variable) => `environment variable ${variable}`)];
		return given.map((place) => `${place}: the feature "${name}" is not listed in features; hint: ${toAddHint(name)}`);
	});
}
