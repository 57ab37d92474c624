import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Finding, PlannedContent, PlannedFile, ServicePlan } from "../../cli/service-plan.ts";
import { contractVersion, type PluginContext } from "../../contract/index.ts";
import { createSystemClock } from "../../kernel/basics/clock.ts";
import { findOptionProblems } from "../../kernel/plugins/check-options.ts";
import { type CreatedPlugins, createPlugins } from "../../kernel/plugins/create-plugins.ts";
import { findOpenDataDirectory } from "../config/data-directory.ts";
import { findDirectoryProblem } from "../config/directory-problem.ts";
import { type ResolvedConfig, resolveConfig } from "../config/resolve-config.ts";
import { loadConfig } from "../load-config.ts";
import { version } from "../version.ts";
import { draftContent } from "./draft-content.ts";
import { createFindingLogger } from "./finding-logger.ts";
import { toFinding, toFindings } from "./findings.ts";
import { listOptions } from "./list-options.ts";
import { listPlugins } from "./list-plugins.ts";
import { findRoleFindings, listWarnings } from "./list-warnings.ts";
import { lookAtFirstUser } from "./look-at-first-user.ts";
import { lookAtListeners } from "./look-at-listeners.ts";
import { lookAtStorage, type StorageReport } from "./look-at-storage.ts";
import { findMissingPackages } from "./optional-packages.ts";

export interface PlanOptions {
	/** Path of the configuration file. */
	readonly config: string;
	/** As for `svc serve`. */
	readonly only?: readonly string[] | undefined;
	readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * What `svc serve` would do with a configuration, and what is wrong. The module of the configuration is run; nothing is made, changed
 * or kept.
 */
export async function makePlan({ config: file, only, env }: PlanOptions): Promise<ServicePlan> {
	const path = resolve(file);
	const frame = { version, contract: contractVersion, config: path };
	let config: ResolvedConfig;
	let plugins: CreatedPlugins;
	try {
		config = resolveConfig(await loadConfig(path), { env, directory: dirname(path), only });
		plugins = createPlugins(toComposition(config));
	} catch (error) {
		return { ...frame, would_start: false, after_running: false, problems: toFindings(error), warnings: [] };
	}
	return { ...frame, ...(await planResolved(config, plugins, env)) };
}

async function planResolved(config: ResolvedConfig, plugins: CreatedPlugins, env: PlanOptions["env"]) {
	const logged: Finding[] = [];
	const context = createContext(config, logged);
	const { listeners, ...network } = await lookAtListeners(config.options, config.roles);
	const options = await findOptionFindings(config, plugins, context);
	const { firstUser, ...users } = await lookAtFirstUser(config, plugins.authBackend, context);
	const isBusShared = plugins.eventBus.capabilities.shared === true;
	const stored = await lookAtStorage(config, plugins.door.storage, { context, isBusShared });
	const drafted = await draft(config, plugins, stored).finally(() => plugins.door.stop());
	const directory = await findDirectoryProblem(config.dataDirectory);
	const problems = withoutRepeats([
		...(directory === undefined ? [] : [{ path: "data_dir", message: directory }]),
		...findRoleFindings(config, plugins),
		...options,
		...network.problems,
		...users.problems,
		...stored.problems,
		...drafted.problems,
	]);
	const listed = listPlugins(config, plugins);
	const keys = await findKeyFileWarnings(config);
	const openData = await findOpenDataDirectory(config.dataDirectory);
	const warnings = [
		listWarnings(config, plugins),
		openData === undefined ? [] : [toFinding(openData)],
		keys,
		findMissingPackages(listed),
		network.warnings,
		users.warnings,
		stored.warnings,
		drafted.warnings,
		logged,
	];
	return {
		would_start: problems.length === 0,
		after_running: stored.isHeld || listeners.some(({ state }) => state === "svc"),
		problems,
		warnings: warnings.flat(),
		roles: config.roles,
		plugins: listed,
		listeners,
		storage: stored.storage,
		...(drafted.content !== undefined && { content: drafted.content }),
		options: listOptions(config.options, env),
		files: listFiles(config),
		first_user: firstUser,
	};
}

/** What plugins say of their options. */
async function findOptionFindings(config: ResolvedConfig, created: CreatedPlugins, context: PluginContext): Promise<readonly Finding[]> {
	const plugins = { ...created, storage: created.door.storage };
	const problems = await findOptionProblems({ composition: toComposition(config), plugins, roles: config.roles }, () => context);
	return problems.map(toFinding);
}

/** What plugins say of their options shows once more where they are used. */
function withoutRepeats(findings: readonly Finding[]): readonly Finding[] {
	const texts = findings.map(({ path, message }) => `${path}: ${message}`);
	return findings.filter((_finding, index) => texts.indexOf(texts[index] ?? "") === index);
}

interface Drafted {
	readonly content?: PlannedContent;
	readonly problems: readonly Finding[];
	readonly warnings: readonly Finding[];
}

async function draft(config: ResolvedConfig, plugins: CreatedPlugins, { stored, isNew }: StorageReport): Promise<Drafted> {
	try {
		return { ...(await draftContent({ config, plugins }, isNew ? "nothing" : stored)), problems: [] };
	} catch (error) {
		return { problems: toFindings(error), warnings: [] };
	}
}

function toComposition({
	storage,
	eventBus,
	runners,
	sensors,
	dialects,
	telemetry,
	authBackend,
}: ResolvedConfig): Parameters<typeof createPlugins>[0] {
	return { storage, eventBus, runners, sensors, dialects, telemetry, authBackend };
}

function createContext({ options, dataDirectory }: ResolvedConfig, findings: Finding[]): PluginContext {
	const logger = createFindingLogger(findings);
	return { logger, clock: createSystemClock(), dataDirectory, nodeId: "plan", options };
}

/** Without its key file the service starts, and keeps no secrets. */
async function findKeyFileWarnings(config: ResolvedConfig): Promise<readonly Finding[]> {
	const file = toKeyFile(config);
	const problem = file === undefined || existsSync(file) ? undefined : await findDirectoryProblem(dirname(file));
	return problem === undefined ? [] : [{ path: "keyvalue.encryption_key_path", message: `the key file cannot be made: ${problem}` }];
}

function toKeyFile({ dataDirectory, options }: ResolvedConfig): string | undefined {
	const { enable_encryption: isEnabled, encryption_key_path: path } = options.keyvalue;
	return isEnabled ? path || join(dataDirectory, "datastore-key.json") : undefined;
}

/** What a start makes in the file system, plugins left aside. */
function listFiles(config: ResolvedConfig): readonly PlannedFile[] {
	const keyFile = toKeyFile(config);
	const files = [
		{ path: config.dataDirectory, purpose: "data directory" },
		...(keyFile === undefined ? [] : [{ path: keyFile, purpose: "key of the datastore" }]),
	];
	return files.map((file) => ({ ...file, exists: existsSync(file.path) }));
}
