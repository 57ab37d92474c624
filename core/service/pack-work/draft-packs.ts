import { dirname, isAbsolute, join } from "node:path";
import {
	defineEventBus,
	defineStorage,
	isSvcError,
	type Runner,
	type Storage,
	type SvcConfig,
	toErrorMessage,
} from "../../contract/index.ts";
import type { ReadRunnerType } from "../../features/packs/file-reader-api.ts";
import { createSystemClock } from "../../kernel/basics/clock.ts";
import { dryRunEngine } from "../../kernel/dry-run.ts";
import { DryRunStorage } from "../../kernel/dry-run-storage.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import { createPlugins } from "../../kernel/plugins/create-plugins.ts";
import type { TaggedLogger } from "../../kernel/plugins/engine-dependencies.ts";
import { Dialects } from "../../language/dialects.ts";
import { type ResolvedConfig, resolveConfig } from "../config/resolve-config.ts";
import { toDependencies } from "../engine-dependencies.ts";
import { loadConfig } from "../load-config.ts";
import { findConfig } from "../local-definitions.ts";

/** A file that registration passes over, and why. */
export interface SkippedFile {
	/** Absolute, or in the pack. */
	readonly file: string;
	readonly message: string;
}

/** What there is when a service is started with packs, as far as that goes without starting anything. */
export interface DraftedPacks {
	readonly config: ResolvedConfig;
	readonly engine: Partial<Engine>;
	readonly storage: Storage;
	/** Of the configuration, by name; not started. */
	readonly runners: ReadonlyMap<string, Runner>;
	/** What actions of packs may be for: those that the service itself brings are for its own packs. */
	readonly runnerTypes: ReadonlyMap<string, ReadRunnerType>;
	readonly dialects: Dialects;
	readonly skipped: readonly SkippedFile[];
}

/** Nothing of a pack is kept anywhere. */
const draftStorage = defineStorage("draft", () => new DryRunStorage());
const silentBus = defineEventBus("silent", () => ({
	capabilities: {},
	publish: () => {},
	subscribe: () => Promise.reject(new Error("nothing is told to anybody")),
}));

/** What belongs to a site, and not to the packs that are written for it. */
const ofSite: readonly string[] = ["storage", "event_bus", "auth_backends", "auth", "rbac", "api", "stream", "node"];

/**
 * Register packs with a configuration by the code of the service, in memory: those in `directories` first, so that of a pack that the configuration has
 * too the one at hand is looked at. `SVC_CONFIG` when the configuration cannot be read.
 */
export async function draftPacks(configFile: string | undefined, directories: readonly string[]): Promise<DraftedPacks> {
	const file = findConfig(configFile);
	const given = await loadConfig(file);
	const config = resolveConfig(toPackConfig(given, directories), { env: {}, directory: dirname(file) });
	const { storage: storagePlugin, eventBus, runners: runnerPlugins, sensors, dialects } = config;
	const created = createPlugins({
		storage: storagePlugin,
		eventBus,
		runners: runnerPlugins,
		sensors,
		dialects,
		telemetry: [],
		authBackend: undefined,
	});
	const skipped: SkippedFile[] = [];
	const dependencies = toDependencies(config, {
		logger: { ...createSkipLogger(skipped), addSecret: () => undefined, forgetSecret: () => undefined },
		clock: createSystemClock(),
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
	// What is wrong with it is said where it is read.
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

/** A log that keeps which files were passed over. */
function createSkipLogger(skipped: SkippedFile[]): TaggedLogger {
	const add = (_message: string, { problem, file }: Readonly<Record<string, unknown>> = {}) => {
		const inner = typeof problem === "object" && problem !== null && !isSvcError(problem) ? (problem as Partial<SkippedFile>) : undefined;
		const named = inner?.file ?? file;
		if (typeof named === "string") skipped.push({ file: named, message: inner?.message ?? toErrorMessage(problem) });
	};
	const logger: TaggedLogger = { debug: () => {}, info: () => {}, warn: add, error: add, withTag: () => logger };
	return logger;
}

/** Absolute path of a file that registration has named. */
export function toAbsolute({ file }: SkippedFile, directory: string): string {
	return isAbsolute(file) ? file : join(directory, file);
}
