import { dirname, isAbsolute, join } from "node:path";
import {
	defineEventBus,
	defineStorage,
	isSvcError,
	type Runner,
	type Storage,
	type SvcConfig,
	toErrorMessage,
} from "../../core/contract/index.ts";
import {
	createPlugins,
	Dialects,
	DryRunStorage,
	dryRunEngine,
	type Engine,
	findConfig,
	getSystemClock,
	loadConfig,
	type ReadRunnerType,
	type ResolvedConfig,
	resolveConfig,
	type TaggableLogger,
	toDependencies,
} from "../../core/feature.ts";

/** A file that registration skips, with the reason. */
export interface SkippedFile {
	/** Absolute path, or a path in the pack. */
	readonly file: string;
	readonly message: string;
}

/** Parts of a service after packs were registered in memory. Nothing has been started. */
export interface DryRunPacks {
	readonly config: ResolvedConfig;
	readonly engine: Partial<Engine>;
	readonly storage: Storage;
	/** Runners of the configuration, by name; not started. */
	readonly runners: ReadonlyMap<string, Runner>;
	/** Runner types that actions of packs may use. The runner types that the service itself provides are for its own packs only. */
	readonly runnerTypes: ReadonlyMap<string, ReadRunnerType>;
	readonly dialects: Dialects;
	readonly skipped: readonly SkippedFile[];
}

/** In-memory storage, so that checking packs stores nothing permanently. */
const draftStorage = defineStorage("draft", () => new DryRunStorage());
const silentBus = defineEventBus("silent", () => ({
	capabilities: {},
	publish: () => {},
	subscribe: () => Promise.reject(new Error("a dry run has no event bus")),
}));

/** Sections that concern an installation and not its packs. They are ignored. */
const ofSite: readonly string[] = ["storage", "event_bus", "auth_backends", "auth", "rbac", "api", "stream", "node"];

/**
 * Registers the packs in `directories` and in a configuration in memory, with the code of the service. If both contain the same pack, the
 * one in `directories` is used. Throws `SVC_CONFIG` if the configuration cannot be read.
 */
export async function dryRunPacks(configFile: string | undefined, directories: readonly string[]): Promise<DryRunPacks> {
	const file = findConfig(configFile);
	const given = await loadConfig(file);
	const config = resolveConfig(toPackConfig(given, directories), { env: {}, directory: dirname(file) });
	const created = createPlugins({ ...config, telemetry: [], authBackend: undefined });
	const skipped: SkippedFile[] = [];
	const dependencies = toDependencies(config, {
		logger: { ...createSkipLogger(skipped), addSecret: () => undefined, forgetSecret: () => undefined },
		clock: getSystemClock(),
		adminPassword: undefined,
		apiUrl: () => "",
		addresses: () => ({}),
	});
	const storage = new DryRunStorage();
	const { runners } = created;
	const engine: Partial<Engine> = await dryRunEngine(dependencies, created, storage, config.features);
	const runnerTypes = new Map(
		[...runners].map(([name, { parameters, entryPoint = "optional" }]) => [name, { parameters, entryPoint }] as const),
	);
	return { config, engine, storage, runners, runnerTypes, dialects: new Dialects(created.dialects), skipped };
}

function toPackConfig(given: SvcConfig, directories: readonly string[]): SvcConfig {
	// `resolveConfig` reports what is wrong with a value that is not an object.
	if (typeof given !== "object" || given === null) return given;
	const kept = Object.fromEntries(Object.entries(given).filter(([name]) => !ofSite.includes(name)));
	const { packs } = given;
	return {
		...(kept as unknown as SvcConfig),
		storage: draftStorage(),
		event_bus: silentBus(),
		auth: { enable: false },
		packs: [...directories, ...(Array.isArray(packs) ? packs : [])],
	};
}

/** Creates a logger that collects the files that registration skips. */
function createSkipLogger(skipped: SkippedFile[]): TaggableLogger {
	const add = (_message: string, { problem, file }: Readonly<Record<string, unknown>> = {}) => {
		const inner = typeof problem === "object" && problem !== null && !isSvcError(problem) ? (problem as Partial<SkippedFile>) : undefined;
		const named = inner?.file ?? file;
		if (typeof named === "string") skipped.push({ file: named, message: inner?.message ?? toErrorMessage(problem) });
	};
	const logger: TaggableLogger = { debug: () => {}, info: () => {}, warn: add, error: add, withTag: () => logger };
	return logger;
}

/** Returns the absolute path of a skipped file. */
export function toAbsolute({ file }: SkippedFile, directory: string): string {
	return isAbsolute(file) ? file : join(directory, file);
}
