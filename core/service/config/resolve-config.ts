import { join, resolve } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import {
	type NodeRole,
	nodeRoles,
	type OptionSections,
	type Options,
	optionSections,
	type SvcConfig,
	SvcError,
	toErrorMessage,
} from "../../contract/index.ts";
import { createTrustedProxies } from "../../features/access/trusted-proxies-exports.ts";
import { composeFeatures, findFeatureProblems, toFileReaders } from "../../features/composition.ts";
import { type FeaturePlugin, registerKindsAndPermissions } from "../../features/feature-plugin.ts";
import type { FileReader } from "../../features/packs/file-reader-exports.ts";
import { toConfigError } from "../../kernel/basics/config-error.ts";
import type { CreateFeatures } from "../../kernel/feature-list.ts";
import type { EngineDependencies } from "../../kernel/plugins/engine-dependencies.ts";
import { findAuthBackendsProblem, resolveAuthBackend } from "./auth-backend.ts";
import { findListProblems, findPluginProblem } from "./check-plugins.ts";
import { describeKind, describeValue, isRecord } from "./describe-value.ts";
import { didYouMean } from "./did-you-mean.ts";
import { type Environment, findUnknownVariables } from "./environment.ts";
import { findLeftOutOptions, toAddHint } from "./left-out-features.ts";
import { findValueProblem } from "./option-value.ts";
import { findPacksProblems, isPath } from "./pack-entries.ts";
import { resolveSections } from "./resolve-options.ts";
import { type CollectedOptionSections, collectOptionSections, compositionMembers } from "./sections.ts";

type Values = "options" | "roles" | "access" | "packs" | "followedPacks" | "configs" | "dataDirectory";
type Plugins = EngineDependencies["composition"];

/**
 * Configuration after validation, with defaults and environment applied. Plugins are only declared: no instance has been created. The
 * directories may not exist; `prepareDataDirectory` creates that of the data.
 */
export interface ResolvedConfig extends Pick<EngineDependencies, Values>, Plugins {
	/** Definitions of all options. */
	readonly sections: OptionSections;
	readonly features: CreateFeatures;
	/** Readers for the files of packs, including those of the features that the configuration adds. */
	readonly fileReaders: readonly FileReader[];
	/** Names of the features that the configuration adds to those that every service has. */
	readonly addedFeatures: readonly string[];
	/** Warnings to log once the logger exists. */
	readonly warnings: readonly string[];
}

export interface ResolveContext {
	/** Environment, whose `SVC_` variables override the configuration. `SVC_DATA_DIR` is relative to the working directory. */
	readonly env: Environment;
	/** Directory of the configuration file; relative paths of the configuration are relative to it. */
	readonly directory: string;
	/** Roles that replace those in `node.only`. */
	readonly only?: readonly string[] | undefined;
}

/** Validates a configuration and fills in defaults. Throws one `SVC_CONFIG` that names all problems at once. */
export function resolveConfig(config: SvcConfig, { env, directory, only }: ResolveContext): ResolvedConfig {
	// Do not trust the type: a configuration in plain JavaScript is not type-checked.
	const input: unknown = config;
	if (!isRecord(input))
		throw new SvcError(
			"SVC_CONFIG",
			`the configuration must be an object, got ${describeKind(input)}; hint: export default defineConfig({ ... })`,
		);
	const collected = collectOptionSections(input);
	const { sections } = collected;
	const problems = [...findUnknownMembers(input, collected), ...findCompositionProblems(input)];
	const featureProblems = findFeatureListProblems(input["features"] ?? [], collected);
	const addedFeatures = featureProblems.length > 0 ? [] : (config.features ?? []).map(({ name }) => name);
	problems.push(...featureProblems);
	if (featureProblems.length === 0) {
		problems.push(...tryRegisterKindsAndPermissions(config.features ?? []));
		problems.push(...findLeftOutOptions(input, { env, names: addedFeatures }));
	}
	const options = resolveSections(input, { sections, env, problems });
	const onlyProblem = only === undefined ? undefined : findValueProblem(optionSections.node.only, only);
	if (onlyProblem !== undefined) problems.push(`only: ${onlyProblem}`);
	problems.push(...findAuthProblems(options), ...findProxyProblems(options), ...findRoleProblems(input["rbac"]));
	const authBackend = resolveAuthBackend(input, env, { isNeeded: options.auth.enable, problems });
	if (problems.length === 0) problems.push(...(config.features ?? []).flatMap((feature) => feature.findProblems?.(config, options) ?? []));
	if (problems.length > 0) throw toConfigError(problems);
	const dataDirectory = env["SVC_DATA_DIR"] ? resolve(env["SVC_DATA_DIR"]) : resolve(directory, config.data_dir ?? "data");
	const roles = toRoles((only as readonly NodeRole[] | undefined) ?? options.node.only);
	return {
		options,
		sections,
		roles,
		features: composeFeatures(config.features ?? []),
		fileReaders: toFileReaders(config.features ?? []),
		addedFeatures,
		storage: config.storage,
		eventBus: config.event_bus,
		runners: config.runners,
		sensors: config.sensors ?? [],
		dialects: config.dialects ?? [],
		telemetry: config.telemetry ?? [],
		authBackend,
		access: { roles: config.rbac?.roles ?? [], assignments: config.rbac?.assignments ?? [], mappings: config.rbac?.mappings ?? [] },
		packs: (config.packs ?? []).flatMap((pack) => (typeof pack === "string" ? resolve(directory, pack) : [])),
		followedPacks: (config.packs ?? []).flatMap((pack) => (typeof pack === "string" ? [] : pack)),
		configs: config.configs === undefined ? join(dataDirectory, "configs") : resolve(directory, config.configs),
		dataDirectory,
		warnings: [...findUnknownVariables(env, sections), ...findRoleWarnings(roles, options), ...findProxyWarnings(options)],
	};
}

/** Returns the roles in the order of `nodeRoles`, each once. */
function toRoles(only: readonly NodeRole[]): readonly NodeRole[] {
	return only.length === 0 ? nodeRoles : nodeRoles.filter((role) => only.includes(role));
}

function findRoleWarnings(roles: readonly NodeRole[], { auth, api }: Options): string[] {
	if (!roles.includes("worker") || (roles.includes("api") && api.listen) || auth.api_url !== "") return [];
	return ["auth.api_url is not set on a node that runs actions without an API listener: actions cannot reach the API"];
}

function findUnknownMembers(input: Readonly<Record<string, unknown>>, { sections, refused }: CollectedOptionSections): string[] {
	const members = [...compositionMembers, ...Object.keys(sections)];
	const hint = "if it is the section of a feature, add the feature to features";
	return Object.entries(input)
		.filter(([name]) => !members.includes(name) && !refused.includes(name))
		.map(([name, value]) => {
			const problem = `${name}: unknown section (${describeValue(value, name)})`;
			return `${problem}; ${didYouMean(name, members)}allowed: ${members.join(", ")}; hint: ${hint}`;
		});
}

function findCompositionProblems(input: Readonly<Record<string, unknown>>): string[] {
	const { storage, event_bus, runners, sensors, dialects, telemetry, packs, configs, data_dir } = input;
	const problems = [
		findPluginProblem("storage", "storage", storage),
		findPluginProblem("event_bus", "event-bus", event_bus),
		...findListProblems("runners", "runner", runners),
		...(sensors === undefined ? [] : findListProblems("sensors", "sensor", sensors)),
		...(dialects === undefined ? [] : findListProblems("dialects", "dialect", dialects)),
		...(telemetry === undefined ? [] : findListProblems("telemetry", "telemetry", telemetry)),
		findAuthBackendsProblem(input["auth_backends"]),
		...findPacksProblems(packs),
		configs === undefined || isPath(configs) ? undefined : `configs: expected a directory, got ${describeValue(configs)}`,
		data_dir === undefined || isPath(data_dir) ? undefined : `data_dir: expected a directory, got ${describeValue(data_dir)}`,
	];
	return problems.filter((problem) => problem !== undefined);
}

/**
 * Defines the kinds and permissions of the features, and returns problems instead of throwing. `defineFeature` has defined them, but a
 * configuration may import another copy of this package, and in plain JavaScript it may contain objects that `defineFeature` did not make.
 */
function tryRegisterKindsAndPermissions(features: readonly FeaturePlugin[]): string[] {
	try {
		registerKindsAndPermissions(features);
		return [];
	} catch (error) {
		return [`features: ${toErrorMessage(error)}`];
	}
}

function findFeatureListProblems(features: unknown, collected: CollectedOptionSections): string[] {
	const problems = findListProblems("features", "feature", features);
	if (problems.length > 0) return problems;
	return [...findFeatureProblems(features as readonly FeaturePlugin[], toAddHint), ...collected.problems];
}

function findAuthProblems({ auth, api, rbac }: Options): string[] {
	const problems: string[] = [];
	if (rbac.enable && !auth.enable) problems.push("rbac.enable: requires auth.enable: true, because roles require authenticated users");
	if (api.auth_cookie_same_site === "none" && !api.auth_cookie_secure) {
		problems.push('api.auth_cookie_same_site: "none" requires auth_cookie_secure: true; otherwise browsers reject the cookie');
	}
	if (api.allow_origin.includes("null")) {
		problems.push('api.allow_origin: "null" is the origin of all sandboxed pages and local files; hint: name the origins of your pages');
	}
	return problems;
}

const minSecretLength = 16;

/** Returns the problems of the options for proxy sign-ins. */
function findProxyProblems({ auth }: Options): string[] {
	const problems: string[] = [];
	if (auth.enable && auth.mode === "proxy" && auth.trusted_proxies.length === 0) {
		problems.push(
			'auth.trusted_proxies: required in proxy mode, because clients at these addresses can sign in as any user; hint: only the address of the proxy, such as ["10.0.0.5"]',
		);
	}
	if (auth.proxy_secret !== "" && auth.proxy_secret.length < minSecretLength) {
		problems.push(
			`auth.proxy_secret: must have at least ${minSecretLength} characters, so that it cannot be guessed; hint: openssl rand -hex 32`,
		);
	}
	return [...problems, ...findEntryProblems(auth.trusted_proxies)];
}

function findEntryProblems(entries: readonly string[]): string[] {
	try {
		createTrustedProxies(entries);
		return [];
	} catch (error) {
		return [toErrorMessage(error)];
	}
}

/** Returns a warning if the proxy options are valid but also trust programs other than the proxy. */
function findProxyWarnings({ auth }: Options): string[] {
	if (!auth.enable || auth.mode !== "proxy" || auth.proxy_secret !== "") return [];
	const isTrusted = createTrustedProxies(auth.trusted_proxies);
	if (!isTrusted("127.0.0.1") && !isTrusted("::1")) return [];
	return [
		"auth.trusted_proxies: in proxy mode every program on this machine can sign in as any user; hint: set auth.proxy_secret, which the proxy sends in the header Svc-Proxy-Secret",
	];
}

const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: text };
const description = { type: "string" };

const grant = {
	type: "object",
	additionalProperties: false,
	required: ["permission_types"],
	properties: { resource_uid: text, permission_types: texts },
};

const schema = {
	type: "object",
	properties: {
		roles: listOf({ name: text, description, permission_grants: { type: "array", items: grant } }, ["name"]),
		assignments: listOf({ username: text, roles: texts, description }, ["username", "roles"]),
		mappings: listOf({ group: text, roles: texts, description }, ["group", "roles"]),
	},
};

function listOf(properties: Record<string, unknown>, required: readonly string[]) {
	return { type: "array", items: { type: "object", additionalProperties: false, required, properties } };
}

/** Compiled on first use, because most configurations declare no roles. */
let validate: ValidateFunction | undefined;

/** Returns the schema violations in `rbac.roles`, `rbac.assignments` and `rbac.mappings`, each with its path. */
function findRoleProblems(section: unknown): string[] {
	if (section === undefined) return [];
	validate ??= new Ajv({ allErrors: true, strict: false, logger: false }).compile(schema);
	if (validate(section)) return [];
	return (validate.errors ?? []).map(({ instancePath, message, params }) => {
		const path = instancePath.replace(/\/(\d+)/g, "[$1]").replaceAll("/", ".");
		const name = "additionalProperty" in params ? ` (${String(params["additionalProperty"])})` : "";
		return `rbac${path}: ${message}${name}`;
	});
}
