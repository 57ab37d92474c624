import { isJsonObject, isSvcError, SvcError, toErrorMessage } from "../contract/index.ts";
import type { EngineCore } from "../kernel/engine-api.ts";
import type { Feature } from "../kernel/feature.ts";
import type { CreateFeatures, FeatureMap } from "../kernel/feature-list.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { FeaturePlugin } from "./feature-plugin.ts";
import { coreFeatureNames, createCoreFeatures } from "./index.ts";
import { packFileReaders } from "./pack-file-readers.ts";

/**
 * Returns the function that creates the features of an engine: those that every service has, then those of the configuration, each after
 * the features that it requires. Expects features without problems (`findFeatureProblems`).
 */
export function composeFeatures(plugins: readonly FeaturePlugin[]): CreateFeatures {
	const sorted = sortByRequirements(plugins);
	const readers = toFileReaders(plugins);
	const builtInPacks = plugins.flatMap(({ packs = [] }) => packs);
	return (kernel) => {
		const features: Record<string, Feature> = { ...createCoreFeatures(kernel, { readers, builtInPacks }) };
		for (const plugin of sorted) {
			const { name, requires = [] } = plugin;
			const required = Object.fromEntries(Object.entries(features).filter(([feature]) => requires.includes(feature)));
			const feature = createFeature(plugin, kernel, required);
			assertNewMembers(name, feature, Object.entries(features));
			features[name] = feature;
		}
		return features;
	};
}

/** Creates a feature. Throws `SVC_CONFIG` that names it if its `create` throws, or returns an object without `api`. */
function createFeature({ name, create }: FeaturePlugin, kernel: Kernel, required: FeatureMap): Feature {
	try {
		const feature = create(kernel, required);
		// Do not trust the type: a feature in plain JavaScript is not type-checked.
		if (isJsonObject(feature) && isJsonObject(feature.api)) return feature;
		throw new Error('create must return an object with an object "api"');
	} catch (error) {
		const facts = isSvcError(error, "SVC_CONFIG") ? error.facts : {};
		throw new SvcError("SVC_CONFIG", `features: "${name}" cannot be created: ${toErrorMessage(error)}`, { cause: error, facts });
	}
}

/** Members of every engine. */
const engineMembers: readonly PropertyKey[] = Reflect.ownKeys({
	nodeId: true,
	features: true,
	executions: true,
	output: true,
	dispatcher: true,
	nodes: true,
	telemetry: true,
	readiness: true,
	start: true,
	drain: true,
	abort: true,
	stop: true,
	[Symbol.asyncDispose]: true,
} satisfies Readonly<Record<keyof EngineCore, true>>);

/** Throws `SVC_CONFIG` if a feature adds a member that every engine has, or that another feature adds. */
function assertNewMembers(name: string, { api }: Feature, others: readonly (readonly [name: string, feature: Feature])[]): void {
	const members = Reflect.ownKeys(api);
	const own = members.find((key) => engineMembers.includes(key));
	if (own !== undefined)
		throw new SvcError("SVC_CONFIG", `features: "${name}" adds the member "${String(own)}" to the engine, which is built in`);
	for (const [other, { api: otherApi }] of others) {
		const member = members.find((key) => Object.hasOwn(otherApi, key));
		if (member !== undefined)
			throw new SvcError(
				"SVC_CONFIG",
				`features: "${name}" adds the member "${String(member)}" to the engine, which "${other}" already adds`,
			);
	}
}

/** Returns the readers for the files of packs: those of core, and those of plugins. */
export function toFileReaders(plugins: readonly FeaturePlugin[]): NonNullable<FeaturePlugin["fileReaders"]> {
	return [...packFileReaders, ...plugins.flatMap((plugin) => plugin.fileReaders ?? [])];
}

/**
 * Returns the problems of the features of a configuration: names of features that every service has, and requirements that are missing or
 * circular. Repeated names are found by `findListProblems`.
 *
 * @param toHint returns how a configuration adds the feature with a name
 */
export function findFeatureProblems(plugins: readonly FeaturePlugin[], toHint: (name: string) => string): string[] {
	const known = [...coreFeatureNames, ...plugins.map(({ name }) => name)];
	const problems = plugins.flatMap(({ name, requires = [] }, index) => {
		if (coreFeatureNames.includes(name)) return [`features[${index}]: the feature "${name}" is built in; choose another name`];
		const missing = requires.filter((required) => !known.includes(required));
		return missing.map((required) => `features[${index}]: "${name}" needs the feature "${required}"; hint: ${toHint(required)}`);
	});
	if (problems.length > 0) return problems;
	const sorted = sortByRequirements(plugins);
	const circular = plugins.flatMap(({ name }) => (sorted.some((plugin) => plugin.name === name) ? [] : [`"${name}"`]));
	return circular.length === 0 ? [] : [`features: ${circular.join(", ")} cannot be created, because they require each other`];
}

/** Returns the features in an order in which each follows those that it requires. Leaves out those whose requirements cannot be met. */
function sortByRequirements(plugins: readonly FeaturePlugin[]): readonly FeaturePlugin[] {
	const sorted: FeaturePlugin[] = [];
	const isCreatable = ({ requires = [] }: FeaturePlugin) =>
		requires.every((required) => coreFeatureNames.includes(required) || sorted.some(({ name }) => name === required));
	for (;;) {
		const next = plugins.find((plugin) => !sorted.includes(plugin) && isCreatable(plugin));
		if (next === undefined) return sorted;
		sorted.push(next);
	}
}
