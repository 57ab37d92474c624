import { type PluginKind as ContractPluginKind, contractVersion } from "../../contract/index.ts";
import { describeValue, isRecord } from "./describe-value.ts";

type PluginKind = ContractPluginKind | "feature";

const hints: Readonly<Record<PluginKind, string>> = {
	storage: 'storage: knexStorage({ client: "sqlite" })',
	"event-bus": "event_bus: memoryBus()",
	runner: "runners: [localCommand(), localScript()]",
	"auth-backend": "auth: { backend: flatFile() }",
	sensor: 'sensors: [fileWatch({ paths: ["/var/log/syslog"] })]',
	dialect: "dialects: [packCompatibility()]",
	telemetry: "telemetry: [prometheusMetrics()]",
	feature: "features: [webUi(), audit()]",
};

const titles: Readonly<Record<PluginKind, string>> = {
	storage: "a storage plugin",
	"event-bus": "an event bus plugin",
	runner: "a runner plugin",
	"auth-backend": "an auth backend plugin",
	sensor: "a sensor plugin",
	dialect: "a dialect plugin",
	telemetry: "a telemetry plugin",
	feature: "a feature",
};

/**
 * Returns why a value is not a plugin of this kind, or undefined if it is one. Needed for plain JavaScript; TypeScript reports most such
 * errors.
 */
export function findPluginProblem(path: string, kind: PluginKind, value: unknown): string | undefined {
	if (isPlugin(value) && value.kind === kind) return findVersionProblem(path, value);
	return `${path}: expected ${titles[kind]}, got ${describePlugin(value)}; hint: ${hints[kind]}`;
}

/** Returns the problems of a list of plugins, including equal names. */
export function findListProblems(path: string, kind: "runner" | "sensor" | "dialect" | "telemetry" | "feature", value: unknown): string[] {
	if (!Array.isArray(value)) return [`${path}: expected an array of ${kind} plugins, got ${describePlugin(value)}; hint: ${hints[kind]}`];
	const plugins: readonly unknown[] = value;
	const problems = plugins.map((plugin, index) => findPluginProblem(`${path}[${index}]`, kind, plugin));
	const names = plugins.map((plugin) => (isPlugin(plugin) ? plugin.name : undefined));
	const repeated = names.map((name, index) => {
		const first = names.indexOf(name);
		return name === undefined || first === index
			? undefined
			: `${path}[${index}]: ${kind} "${name}" is already at ${path}[${first}]; names must be unique`;
	});
	return [...problems, ...repeated].filter((problem) => problem !== undefined);
}

/** Returns a problem if the plugin needs another contract version. A plugin without a version was written for version 1. */
function findVersionProblem(path: string, plugin: PluginShape): string | undefined {
	const { contract = 1 } = plugin;
	if (contract === contractVersion) return undefined;
	const begin = `${path}: ${describePlugin(plugin)} requires contract version ${describeValue(contract)}, but this svc has version ${contractVersion}`;
	const isNewer = typeof contract === "number" && contract > contractVersion;
	return `${begin}; hint: install ${isNewer ? "a newer svc or an older release of the plugin" : "a release of the plugin for this version"}`;
}

interface PluginShape {
	readonly contract?: unknown;
	readonly kind: string;
	readonly name: string;
	readonly create: unknown;
}

function isPlugin(value: unknown): value is PluginShape {
	if (!isRecord(value)) return false;
	return (
		typeof value["kind"] === "string" && typeof value["name"] === "string" && value["name"] !== "" && typeof value["create"] === "function"
	);
}

function describePlugin(value: unknown): string {
	if (isPlugin(value)) return `the ${value.kind} plugin "${value.name}"`;
	if (typeof value === "function") return "a function, which must be called to create the plugin";
	return describeValue(value);
}
