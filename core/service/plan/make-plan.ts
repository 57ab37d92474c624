import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Finding, PlannedContent, PlannedFile, PlannedOption, PlannedPlugin, ServicePlan } from "../../cli/service-plan.ts";
import {
	type AuthBackend,
	contractVersion,
	type JsonValue,
	type Lifecycle,
	type PluginContext,
	toErrorMessage,
} from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { findFirstUserProblem, findFirstUserWarning } from "../../features/access/first-user-checks-exports.ts";
import { toNamedSensor } from "../../features/sensors/named-sensor-exports.ts";
import { getSystemClock } from "../../kernel/basics/clock.ts";
import { assertRolesReachable } from "../../kernel/nodes/cluster-checks.ts";
import { findOptionProblems } from "../../kernel/plugins/check-options.ts";
import { type CreatedPlugins, createPlugins } from "../../kernel/plugins/create-plugins.ts";
import { shouldStart } from "../../kernel/plugins/plugin-roles.ts";
import { findOpenDataDirectory } from "../config/data-directory.ts";
import { findDirectoryProblem } from "../config/directory-problem.ts";
import { type Environment, readOverride, toVariableName } from "../config/environment.ts";
import { findLeftOutFeatures } from "../config/left-out-features.ts";
import { type ResolvedConfig, resolveConfig } from "../config/resolve-config.ts";
import { isSecretOption } from "../config/secret-options.ts";
import { loadConfig } from "../load-config.ts";
import { version } from "../version.ts";
import { planContent } from "./dry-run-content.ts";
import { createFindingLogger } from "./finding-logger.ts";
import { inspectListeners } from "./inspect-listeners.ts";
import { inspectStorage, type StorageReport } from "./inspect-storage.ts";
import { toFinding, toFindings } from "./to-findings.ts";

export interface PlanOptions {
	/** Path of the configuration file. */
	readonly config: string;
	/** Roles, as for `svc serve`. */
	readonly only?: readonly string[] | undefined;
	readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns what `svc serve` would do with a configuration, and the problems that it would report. Runs the configuration module, but
 * creates, changes and stores nothing.
 */
export async function makePlan({ config: file, only, env }: PlanOptions): Promise<ServicePlan> {
	const path = resolve(file);
	const frame = { version, contract: contractVersion, config: path };
	let config: ResolvedConfig;
	let plugins: CreatedPlugins;
	try {
		config = resolveConfig(await loadConfig(path), { env, directory: dirname(path), only });
		plugins = createPlugins(config);
	} catch (error) {
		return { ...frame, would_start: false, after_running: false, problems: toFindings(error), warnings: [] };
	}
	return { ...frame, ...(await planResolved(config, plugins, env)) };
}

async function planResolved(config: ResolvedConfig, plugins: CreatedPlugins, env: PlanOptions["env"]) {
	const logged: Finding[] = [];
	const context = createContext(config, logged);
	const { listeners, ...network } = await inspectListeners(config.options, config.roles);
	const options = await findOptionFindings(config, plugins, context);
	const { firstUser, ...users } = await lookAtFirstUser(config, plugins.authBackend, context);
	const isBusShared = plugins.eventBus.capabilities.shared === true;
	const stored = await inspectStorage(config, plugins.restartableStorage.current, { context, isBusShared });
	const drafted = await draft(config, plugins, stored).finally(() => plugins.restartableStorage.stop());
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
		features: { listed: config.addedFeatures, left_out: findLeftOutFeatures(config.addedFeatures) },
		plugins: listed,
		listeners,
		storage: stored.storage,
		...(drafted.content !== undefined && { content: drafted.content }),
		options: listOptions(config, env),
		files: listFiles(config),
		first_user: firstUser,
	};
}

/** Returns the problems that plugins report about their options. */
async function findOptionFindings(config: ResolvedConfig, plugins: CreatedPlugins, context: PluginContext): Promise<readonly Finding[]> {
	const problems = await findOptionProblems(plugins.entries, config.roles, () => context);
	return problems.map(toFinding);
}

/** Returns each finding once. A problem that a plugin reports about its options is reported again by the code that uses the options. */
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
		return { ...(await planContent({ config, plugins }, isNew ? "nothing" : stored)), problems: [] };
	} catch (error) {
		return { problems: toFindings(error), warnings: [] };
	}
}

function createContext({ options, dataDirectory }: ResolvedConfig, findings: Finding[]): PluginContext {
	const logger = createFindingLogger(findings);
	return { logger, clock: getSystemClock(), dataDirectory, nodeId: "plan", options };
}

/** Returns a warning if the key file cannot be created. The service then starts, but cannot store secrets. */
async function findKeyFileWarnings(config: ResolvedConfig): Promise<readonly Finding[]> {
	const file = toKeyFile(config);
	const problem = file === undefined || existsSync(file) ? undefined : await findDirectoryProblem(dirname(file));
	return problem === undefined ? [] : [{ path: "keyvalue.encryption_key_path", message: `the key file cannot be created: ${problem}` }];
}

function toKeyFile({ dataDirectory, options }: ResolvedConfig): string | undefined {
	const { enable_encryption: isEnabled, encryption_key_path: path } = options.keyvalue;
	return isEnabled ? path || join(dataDirectory, "datastore-key.json") : undefined;
}

/** Returns the files that a start creates, except those of plugins. */
function listFiles(config: ResolvedConfig): readonly PlannedFile[] {
	const keyFile = toKeyFile(config);
	const files = [
		{ path: config.dataDirectory, purpose: "data directory" },
		...(keyFile === undefined ? [] : [{ path: keyFile, purpose: "key of the datastore" }]),
	];
	return files.map((file) => ({ ...file, exists: existsSync(file.path) }));
}

/** Variables that do not override an option, with their path in the plan. */
const others: readonly (readonly [variable: string, path: string])[] = [
	["SVC_DATA_DIR", "data_dir"],
	["SVC_ADMIN_PASSWORD", "admin_password"],
	["SVC_AUTH_BACKEND", "auth.backend"],
	["SVC_AUTH_BACKEND_KWARGS", "auth.backend_kwargs"],
];

/** Variables whose values are secrets although the paths of their options do not suggest it. */
const secretVariables: readonly string[] = ["SVC_ADMIN_PASSWORD", "SVC_AUTH_BACKEND_KWARGS"];

/** Returns the options that differ from the default and those that the environment sets, with secrets masked. */
export function listOptions(
	{ options, sections }: Pick<ResolvedConfig, "options" | "sections">,
	env: Environment,
): readonly PlannedOption[] {
	const listed: PlannedOption[] = [];
	for (const [section, definitions] of Object.entries(sections)) {
		const values = (options as Readonly<Record<string, Readonly<Record<string, JsonValue>>>>)[section] ?? {};
		for (const [name, definition] of Object.entries(definitions)) {
			const value = values[name] ?? null;
			const isSet = readOverride(env, section, name, definition) !== undefined;
			if (!isSet && isDeepStrictEqual(value, definition.default)) continue;
			const variable = isSet ? { variable: toVariableName(section, name) } : {};
			listed.push({ path: `${section}.${name}`, value: isSecretOption(name, definition) ? toMasked(value) : toShown(value), ...variable });
		}
	}
	for (const [variable, path] of others) {
		const value = env[variable]?.trim();
		if (value) listed.push({ path, value: secretVariables.includes(variable) ? secretMask : value, variable });
	}
	return listed;
}

function toMasked(value: JsonValue): JsonValue {
	return value === "" ? "" : secretMask;
}

/** Returns the value with passwords in addresses masked. */
function toShown(value: JsonValue): JsonValue {
	if (Array.isArray(value)) return value.map(toShown);
	if (typeof value !== "string") return value;
	return value.replace(/(:\/\/[^:@/?#]*:)[^@/]*@/, `$1${secretMask}@`);
}

type Plugin = { readonly kind: PlannedPlugin["kind"]; readonly name: string; readonly contract?: number };

/** Returns the plugins of a configuration, and whether a node with its roles starts each of them. */
export function listPlugins(
	config: ResolvedConfig,
	{ restartableStorage, eventBus, runners, sensors }: CreatedPlugins,
): readonly PlannedPlugin[] {
	const entry = (path: string, { kind, name, contract = 1 }: Plugin, instance?: Lifecycle) => {
		return { path, kind, name, contract, starts: shouldStart(kind, config.roles, instance) };
	};
	const { authBackend } = config;
	return [
		...config.telemetry.map((plugin, index) => entry(`telemetry[${index}]`, plugin)),
		{ ...entry("storage", config.storage), capabilities: { ...restartableStorage.current.capabilities } },
		{ ...entry("event_bus", config.eventBus), capabilities: { ...eventBus.capabilities } },
		...(authBackend === undefined ? [] : [entry("auth.backend", authBackend)]),
		...config.dialects.map((plugin, index) => entry(`dialects[${index}]`, plugin)),
		...config.runners.map((plugin, index) => ({
			...entry(`runners[${index}]`, plugin, runners.get(plugin.name)),
			capabilities: { ...runners.get(plugin.name)?.capabilities },
		})),
		...config.sensors.map((plugin, index) => {
			const sensor = sensors.get(plugin.name);
			const types =
				sensor === undefined ? [] : sensor.trigger_types.map(({ name }) => `${toNamedSensor(plugin.name, sensor).pack}.${name}`);
			return { ...entry(`sensors[${index}]`, plugin), trigger_types: types };
		}),
	];
}

/** Returns warnings about settings that work but may not be intended. */
export function listWarnings({ options, warnings }: ResolvedConfig, { restartableStorage, eventBus }: CreatedPlugins): readonly Finding[] {
	const found: Finding[] = warnings.map(toFinding);
	if (!options.auth.enable) {
		found.push({
			path: "auth.enable",
			message: "authentication is off: every client is an administrator",
			hint: "auth: { enable: true }",
		});
	}
	if (options.system.debug) found.push({ path: "system.debug", message: "debug mode is on: logs contain secrets", hint: "leave it out" });
	if (restartableStorage.current.capabilities.durable !== true) {
		found.push({
			path: "storage",
			message: "the storage is not durable: its data is lost when the service stops",
			hint: 'storage: knexStorage({ client: "sqlite" })',
		});
	}
	if (restartableStorage.current.capabilities.shared === true && eventBus.capabilities.shared !== true) {
		found.push({
			path: "event_bus",
			message: "it reaches only this process, so no second node can use the storage",
			hint: "event_bus: postgresBus({ … }) or natsBus({ … })",
		});
	}
	return found;
}

/** Returns findings if these plugins cannot support the roles of the node. */
export function findRoleFindings({ roles, storage, eventBus }: ResolvedConfig, plugins: CreatedPlugins): readonly Finding[] {
	try {
		assertRolesReachable({
			roles,
			storage: { name: storage.name, capabilities: plugins.restartableStorage.current.capabilities },
			eventBus: { name: eventBus.name, capabilities: plugins.eventBus.capabilities },
		});
		return [];
	} catch (error) {
		return toFindings(error, "node.only");
	}
}

export interface FirstUserReport {
	/** Null if this could not be determined. */
	readonly firstUser: boolean | null;
	readonly problems: readonly Finding[];
	readonly warnings: readonly Finding[];
}

/** Determines whether a start would create the first administrator. Starts an auth backend that can add users, queries it and stops it. */
export async function lookAtFirstUser(
	{ options, roles, access }: ResolvedConfig,
	backend: AuthBackend | undefined,
	context: PluginContext,
): Promise<FirstUserReport> {
	const isAsked = options.auth.enable && roles.some((role) => role === "auth" || role === "api");
	if (!isAsked || backend?.addUser === undefined || backend.isEmpty === undefined) return { firstUser: false, problems: [], warnings: [] };
	try {
		await backend.start?.(context);
		const firstUser = await backend.isEmpty();
		const problem = firstUser ? findFirstUserProblem(options.system_user.user) : undefined;
		const warning = firstUser ? findFirstUserWarning(options, access) : undefined;
		return { firstUser, problems: toFindingList(problem), warnings: toFindingList(warning) };
	} catch (error) {
		return { firstUser: null, problems: [{ path: "auth.backend", message: toErrorMessage(error) }], warnings: [] };
	} finally {
		// The result is already determined, so a failed stop is ignored.
		await backend.stop?.().catch(() => undefined);
	}
}

function toFindingList(text: string | undefined): readonly Finding[] {
	return text === undefined ? [] : [toFinding(text)];
}

/** Packages that an installation may lack, the plugins that use them, and the effect if they are missing. */
export const optionalPackages: readonly { readonly name: string; readonly plugins: readonly string[]; readonly without: string }[] = [
	{ name: "libsql", plugins: ["storage knex"], without: "SQLite cannot be used" },
	{ name: "postgres", plugins: ["storage knex", "event-bus postgres"], without: "PostgreSQL cannot be used" },
	{ name: "@nats-io/transport-node", plugins: ["event-bus nats"], without: "NATS cannot be used" },
	{ name: "ldapts", plugins: ["auth-backend ldap"], without: "users cannot sign in" },
	{ name: "openid-client", plugins: ["auth-backend openid_connect"], without: "users cannot sign in" },
	{ name: "jose", plugins: ["auth-backend openid_connect"], without: "sign-out notifications of the provider cannot be verified" },
	{ name: "prom-client", plugins: ["telemetry prometheus"], without: "no metrics are recorded" },
	{ name: "@opentelemetry/api", plugins: ["telemetry opentelemetry"], without: "no spans are created" },
	{ name: "@opentelemetry/otlp-exporter-base", plugins: ["telemetry opentelemetry"], without: "no spans are sent" },
	{ name: "koffi", plugins: ["auth-backend pam"], without: "users cannot sign in" },
	{
		name: "node-pty",
		plugins: ["runner local-shell-cmd", "runner local-shell-script"],
		without: "commands cannot run in a pseudo-terminal",
	},
	{ name: "ssh2", plugins: ["runner remote-shell-cmd", "runner remote-shell-script"], without: "actions cannot run on remote hosts" },
	{ name: "undici", plugins: ["runner http-request"], without: "HTTP requests fail" },
	{ name: "pyodide", plugins: ["runner python-script"], without: "Python actions require python3 on the machine" },
];

/** Returns warnings about packages that plugins of the configuration may need and that are not installed. */
export function findMissingPackages(
	plugins: readonly { readonly kind: string; readonly name: string }[],
	isInstalled: (name: string) => boolean = canResolve,
): readonly Finding[] {
	const used = plugins.map(({ kind, name }) => `${kind} ${name}`);
	return optionalPackages
		.filter(({ name, plugins: users }) => users.some((user) => used.includes(user)) && !isInstalled(name))
		.map(({ name, without }) => ({ path: "", message: `the package "${name}" is not installed: ${without}`, hint: `npm install ${name}` }));
}

function canResolve(name: string): boolean {
	try {
		import.meta.resolve(name);
		return true;
	} catch {
		return false;
	}
}
