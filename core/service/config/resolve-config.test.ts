import * as assert from "node:assert/strict";
import { chmod, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "uvu";
import { isSvcError, optionSections, type SvcConfig } from "../../contract/index.ts";
import { authBackend, configWith, eventBus, runner, storage } from "../../testing/config/config.test-support.ts";
import { findOpenDataDirectory, prepareDataDirectory } from "./data-directory.ts";
import { toVariableName } from "./environment.ts";
import { resolveConfig } from "./resolve-config.ts";

const directory = "/srv/svc";

function resolveWith(parts: object, env: Record<string, string> = {}) {
	return resolveConfig(configWith(parts as Partial<SvcConfig>), { env, directory });
}

function problemsOf(parts: object, env: Record<string, string> = {}): readonly string[] {
	try {
		resolveWith(parts, env);
	} catch (error) {
		assert.ok(isSvcError(error, "SVC_CONFIG"));
		return error.facts["problems"] as readonly string[];
	}
	return assert.fail("the configuration was accepted");
}

test("a configuration without options gets every default", () => {
	const { options } = resolveWith({});
	for (const [section, definitions] of Object.entries(optionSections)) {
		for (const [name, definition] of Object.entries(definitions)) {
			assert.deepEqual((options as Record<string, Record<string, unknown>>)[section]?.[name], definition.default, `${section}.${name}`);
		}
	}
});

test("plugins are handed on as they are, and none is created", () => {
	const config = configWith();
	const resolved = resolveConfig(config, { env: {}, directory });
	assert.equal(resolved.storage, storage);
	assert.equal(resolved.eventBus, eventBus);
	assert.equal(resolved.authBackend, authBackend);
	assert.deepEqual(resolved.runners, config.runners);
});

test("proxy mode needs to be told of its proxies, and is content with nothing less", () => {
	const proxied = (auth: object, env = {}) => problemsOf({ auth: { backend: authBackend, mode: "proxy", ...auth } }, env);
	for (const auth of [{}, { trusted_proxies: [] }])
		assert.match(proxied(auth).join(), /^auth\.trusted_proxies: required in proxy mode.*10\.0\.0\.5/);
	assert.match(problemsOf({ auth: { backend: authBackend } }, { SVC_AUTH_MODE: "proxy" }).join(), /trusted_proxies: required/);
	assert.match(proxied({ trusted_proxies: ["proxy.example"] }).join(), /^auth\.trusted_proxies: "proxy.example" must be an address/);
	const short = proxied({ trusted_proxies: ["10.0.0.5"], proxy_secret: "tooshort" }).join();
	assert.match(short, /^auth\.proxy_secret: must have at least 16 characters/);
	assert.ok(!short.includes("tooshort"));
});

test("proxy mode that trusts its own machine without a secret is warned of", () => {
	const warnings = (auth: object) => resolveWith({ auth: { backend: authBackend, mode: "proxy", ...auth } }).warnings;
	for (const address of ["127.0.0.1", "::1", "0.0.0.0/0"]) {
		assert.match(warnings({ trusted_proxies: [address] }).join(), /^auth\.trusted_proxies: .*every program on this machine/);
	}
	assert.deepEqual(warnings({ trusted_proxies: ["127.0.0.1"], proxy_secret: "a secret of both sides" }), []);
	assert.deepEqual(warnings({ trusted_proxies: ["10.0.0.5"] }), []);
	assert.deepEqual(resolveWith({ auth: { backend: authBackend, trusted_proxies: ["127.0.0.1"] } }).warnings, []);
});

test("paths are relative to the configuration's directory", () => {
	const resolved = resolveWith({ packs: ["packs", "../other", "/opt/packs"], data_dir: "./state" });
	assert.deepEqual(resolved.packs, ["/srv/svc/packs", "/srv/other", "/opt/packs"]);
	assert.equal(resolved.dataDirectory, "/srv/svc/state");
	assert.equal(resolveWith({}).dataDirectory, "/srv/svc/data");
});

test("SVC_DATA_DIR wins over data_dir and is relative to the working directory", () => {
	assert.equal(resolveWith({ data_dir: "state" }, { SVC_DATA_DIR: "/var/lib/svc" }).dataDirectory, "/var/lib/svc");
	assert.equal(resolveWith({}, { SVC_DATA_DIR: "here" }).dataDirectory, resolve("here"));
	assert.equal(resolveWith({}, { SVC_DATA_DIR: "" }).dataDirectory, "/srv/svc/data");
});

test("an option with two names has one value, from whichever name was given", () => {
	const both = (parts: object, env: Record<string, string> = {}) => {
		const { action_executions_ttl, action_executions_output_ttl } = resolveWith(parts, env).options.garbagecollector;
		return [action_executions_ttl, action_executions_output_ttl];
	};
	assert.deepEqual(both({ garbagecollector: { action_executions_output_ttl: 3 } }), [3, 3]);
	assert.deepEqual(both({ garbagecollector: { action_executions_ttl: 3 } }), [3, 3]);
	assert.deepEqual(both({ garbagecollector: { action_executions_ttl: 3, action_executions_output_ttl: 3 } }), [3, 3]);
	assert.deepEqual(
		both({ garbagecollector: { action_executions_ttl: 3 } }, { SVC_GARBAGECOLLECTOR_ACTION_EXECUTIONS_OUTPUT_TTL: "4" }),
		[4, 4],
	);
	const [problem = ""] = problemsOf({ garbagecollector: { action_executions_ttl: 3, action_executions_output_ttl: 4 } });
	assert.match(problem, /^garbagecollector\.action_executions_output_ttl: is an alias of garbagecollector\.action_executions_ttl/);
});

const wrongOptions: readonly [parts: object, problem: string][] = [
	[{ api: { prot: 3000 } }, 'api.prot: unknown option (3000); did you mean "port"? allowed in api: listen, host, port'],
	[{ auth: { backend: authBackend, backend_kwargs: {} } }, "auth.backend_kwargs: allowed only if auth.backend is the name of a backend"],
	[{ auth: { backend: authBackend, passwrod: "hunter2" } }, "auth.passwrod: unknown option (a string)"],
	[{ auth: { backend: authBackend, passwrod: 48151623 } }, "auth.passwrod: unknown option (a number)"],
	[{ strem: { port: 1 } }, 'strem: unknown section (an object); did you mean "stream"? allowed: storage, event_bus'],
	[{ eventBus }, 'eventBus: unknown section (an object); did you mean "event_bus"?'],
	[{ api: 9101 }, "api: expected an object with options, got a number"],
	[{ api: [] }, "api: expected an object with options, got an array"],
	[{ api: { port: "9101" } }, 'api.port: expected an integer from 0 to 65535, got "9101"'],
	[{ api: { port: 1.5 } }, "api.port: expected an integer from 0 to 65535, got 1.5"],
	[{ api: { port: 70_000 } }, "api.port: 70000 is out of range; allowed: an integer from 0 to 65535"],
	[{ api: { max_page_size: 0 } }, "api.max_page_size: 0 is out of range; allowed: an integer, at least 1"],
	[{ api: { host: null } }, "api.host: expected a string, got null"],
	[{ scheduler: { lease: Number.NaN } }, "scheduler.lease: expected a number, at least 0.1, got NaN"],
	[{ log: { level: "inf" } }, 'log.level: unknown value "inf"; did you mean "info"? allowed: error, warn, info, debug'],
	[{ log: { mask_secrets_blacklist: "pin" } }, 'log.mask_secrets_blacklist: expected an array of strings, got "pin"'],
	[{ log: { mask_secrets_blacklist: [1] } }, "log.mask_secrets_blacklist: expected an array of strings, got an array"],
	[{ system: { debug: "yes" } }, 'system.debug: expected true or false, got "yes"'],
	[{ storage: undefined }, 'storage: expected a storage plugin, got nothing; hint: storage: knexStorage({ client: "sqlite" })'],
	[{ storage: "sqlite" }, 'storage: expected a storage plugin, got "sqlite"; hint: storage: knexStorage('],
	[{ storage: eventBus }, 'storage: expected a storage plugin, got the event-bus plugin "test"; hint: '],
	[{ storage: () => storage }, "storage: expected a storage plugin, got a function, which must be called to create the plugin; hint: "],
	[{ storage: { kind: "storage", name: "x" } }, "storage: expected a storage plugin, got an object"],
	[
		{ storage: { ...storage, contract: 2 } },
		'storage: the storage plugin "test" requires contract version 2, but this svc has version 1; hint: install a newer svc or an older',
	],
	[
		{ runners: [{ ...runner("one"), contract: 0 }] },
		'runners[0]: the runner plugin "one" requires contract version 0, but this svc has version 1; hint: install a release of the plugin for this version',
	],
	[{ storage: { ...storage, contract: "1" } }, 'storage: the storage plugin "test" requires contract version "1", but this svc has'],
	[{ event_bus: null }, "event_bus: expected an event bus plugin, got null; hint: event_bus: memoryBus()"],
	[{ runners: runner("one") }, 'runners: expected an array of runner plugins, got the runner plugin "one"'],
	[{ runners: [runner("one"), storage] }, 'runners[1]: expected a runner plugin, got the storage plugin "test"'],
	[{ runners: [runner("one"), runner("two"), runner("one")] }, 'runners[2]: runner "one" is already at runners[0]; names must be unique'],
	[
		{ node: { only: ["api", "wroker"] } },
		'node.only: unknown value "wroker"; did you mean "worker"? allowed: auth, api, stream, worker, rules, timers, sensors',
	],
	[{ auth: {} }, "auth.backend: required if auth.enable is true; hint: auth: { backend: flatFile() }"],
	[{ auth: { enable: false, backend: "ldap" } }, 'auth.backend: unknown backend "ldap"; auth_backends of the configuration is empty'],
	[{ packs: ["a", { git: "https://git.example.org/a", interval: 1 }] }, "packs[1]: expected a directory, or { git, revision,"],
	[{ packs: [{ git: "https://git.example.org/a", branch: "main" }] }, "packs[0]: expected a directory, or { git, revision,"],
	[
		{ packs: [{ git: "https://ann:word@git.example.org/a" }] },
		"packs[0].git: must be a URL without user name and password; hint: put credentials of servers into content.credentials_file",
	],
	[{ packs: [{ git: "https://token@git.example.org/a" }] }, "packs[0].git: must be a URL without user name and password"],
	[{ packs: [{ git: "https://git.example.org/a?token=word" }] }, "packs[0].git: must be a URL without user name and password"],
	[{ packs: [{ git: "disk" }] }, "packs[0].git: must be the URL of a repository"],
	[{ packs: [{ git: "--upload-pack=touch /tmp/x" }] }, 'packs[0].git: pack "--upload-pack=touch /tmp/x" begins with a dash'],
	[{ packs: [{ git: "ext::sh -c true" }] }, 'packs[0].git: pack "ext::sh -c true" uses a git remote helper'],
	[
		{ packs: [{ git: "https://git.example.org/a", revision: "--all" }] },
		'packs[0].git: pack "https://git.example.org/a=--all" has the revision "--all"',
	],
	[{ packs: [{ git: "https://git.example.org/a=main" }] }, "packs[0].git: must not contain a revision; hint: use the member revision"],
	[
		{ packs: [{ git: "https://git.example.org/a" }, { git: "https://git.example.org/a", revision: "main" }] },
		"packs[1]: same directory and repository as packs[0]",
	],
	[{ packs: [{ git: "https://git.example.org/a", webhook: { url: "a" } }] }, "packs[0].webhook: a signature is required; hint: webhook: {"],
	[
		{ packs: [{ git: "https://git.example.org/a", webhook: { url: "a", signature: { scheme: "none", secret_keys: ["a"] } } }] },
		"packs[0].webhook.signature.scheme",
	],
	[{ packs: "packs" }, 'packs: expected an array of directories, got "packs"'],
	[{ data_dir: "" }, 'data_dir: expected a directory, got ""'],
	[
		{ api: { auth_cookie_same_site: "none", auth_cookie_secure: false } },
		'api.auth_cookie_same_site: "none" requires auth_cookie_secure: true',
	],
];

for (const [parts, expected] of wrongOptions) {
	test(`refused: ${expected}`, () => {
		const [problem, ...others] = problemsOf(parts);
		assert.ok(problem?.startsWith(expected), `got: ${problem}`);
		assert.deepEqual(others, []);
	});
}

test("all problems are told together", () => {
	const wrong = { storage: 1, runners: [], api: { prot: 1, port: -1 }, stream: { port: 99_999 } };
	assert.equal(problemsOf(wrong, { SVC_AUTH_PORT: "x" }).length, 5);
	assert.throws(
		() => resolveWith(wrong),
		/the configuration has 4 problems:\n- storage: .*\n- api\.prot: .*\n- api\.port: .*\n- stream\.port: /,
	);
});

test("a configuration that is no object is refused", () => {
	for (const config of [undefined, null, "x", [], () => ({})]) {
		assert.throws(() => resolveConfig(config as unknown as SvcConfig, { env: {}, directory }), /the configuration must be an object/);
	}
});

test("an option that is undefined has its default", () => {
	assert.equal(resolveWith({ api: { port: undefined } }).options.api.port, 9101);
});

test("without authentication no backend is needed", () => {
	assert.equal(resolveWith({ auth: { enable: false } }).authBackend, undefined);
	assert.equal(resolveWith({ auth: {} }, { SVC_AUTH_ENABLE: "false" }).options.auth.enable, false);
});

test("the environment overrides options of every type", () => {
	const env = {
		SVC_API_PORT: "8080",
		SVC_STREAM_HEARTBEAT: "0.5",
		SVC_API_MASK_SECRETS: "No",
		SVC_AUTH_COOKIE: "",
		SVC_AUTH_LISTEN: "0",
		SVC_SYSTEM_DEBUG: "YES",
		SVC_API_ALLOW_ORIGIN: "https://a.example, https://b.example,",
		SVC_LOG_LEVEL: "debug",
		SVC_AUTH_API_URL: "https://svc.example/api",
		SVC_SYSTEM_USER_USER: "robot",
	};
	const { options } = resolveWith({ api: { port: 1 } }, env);
	assert.equal(options.api.port, 8080);
	assert.equal(options.stream.heartbeat, 0.5);
	assert.equal(options.api.mask_secrets, false);
	assert.equal(options.auth.listen, false);
	assert.equal(options.system.debug, true);
	assert.deepEqual(options.api.allow_origin, ["https://a.example", "https://b.example"]);
	assert.equal(options.log.level, "debug");
	assert.equal(options.auth.api_url, "https://svc.example/api");
	assert.equal(options.system_user.user, "robot");
});

test("a node runs every part unless some are named: by the caller, the environment or the file, in this order", () => {
	const rolesOf = (only?: readonly string[], env: Record<string, string> = {}, parts: object = {}) =>
		resolveConfig(configWith(parts as Partial<SvcConfig>), { env, directory, only }).roles;
	assert.deepEqual(rolesOf(), ["auth", "api", "stream", "worker", "rules", "timers", "sensors"]);
	const file = { node: { only: ["timers"] } };
	assert.deepEqual(rolesOf(undefined, {}, file), ["timers"]);
	assert.deepEqual(rolesOf(undefined, { SVC_NODE_ONLY: "worker, api,worker" }, file), ["api", "worker"]);
	assert.deepEqual(rolesOf(["rules"], { SVC_NODE_ONLY: "worker" }, file), ["rules"]);
	assert.throws(() => rolesOf(["workers"]), { message: /^only: unknown value "workers"; did you mean "worker"\? allowed: auth, api, / });
});

test("an empty variable counts as not set", () => {
	assert.equal(resolveWith({ api: { port: 1 } }, { SVC_API_PORT: "" }).options.api.port, 1);
});

const wrongVariables: readonly [name: string, value: string, problem: string][] = [
	["SVC_API_PORT", "http", 'environment variable SVC_API_PORT: expected an integer from 0 to 65535, got "http"'],
	["SVC_API_PORT", "0x50", 'environment variable SVC_API_PORT: expected an integer from 0 to 65535, got "0x50"'],
	["SVC_API_PORT", "1.5", "environment variable SVC_API_PORT: expected an integer from 0 to 65535, got 1.5"],
	["SVC_API_PORT", "99999", "environment variable SVC_API_PORT: 99999 is out of range"],
	["SVC_AUTH_ENABLE", "maybe", 'environment variable SVC_AUTH_ENABLE: expected true or false, got "maybe"'],
	["SVC_NODE_ONLY", "api,rule", 'environment variable SVC_NODE_ONLY: unknown value "rule"; did you mean "rules"? allowed: auth, api'],
	["SVC_LOG_FORMAT", "xml", 'environment variable SVC_LOG_FORMAT: unknown value "xml"; allowed: auto, text, json'],
];

for (const [name, value, expected] of wrongVariables) {
	test(`refused: ${expected}`, () => {
		const [problem] = problemsOf({}, { [name]: value });
		assert.ok(problem?.startsWith(expected), `got: ${problem}`);
	});
}

test("no option has the variable of something else", () => {
	const names = Object.entries(optionSections).flatMap(([section, options]) =>
		Object.keys(options).map((option) => toVariableName(section, option)),
	);
	assert.equal(new Set(names).size, names.length);
	for (const other of [
		"SVC_API_URL",
		"SVC_AUTH_URL",
		"SVC_STREAM_URL",
		"SVC_AUTH_TOKEN",
		"SVC_API_KEY",
		"SVC_API_VERSION",
		"SVC_DATA_DIR",
		"SVC_ADMIN_PASSWORD",
	]) {
		assert.ok(!names.includes(other), other);
	}
});

test("variables that look like an option's but are none are warned of", () => {
	const warnings = (...names: string[]) => resolveWith({}, Object.fromEntries(names.map((name) => [name, "s3cret"]))).warnings;
	assert.deepEqual(warnings("SVC_API_PROT", "SVC_API__PORT", "SVC_LOG_SOMETHING_NEW"), [
		"environment variable SVC_API_PROT is unknown and has no effect; did you mean SVC_API_PORT?",
		"environment variable SVC_API__PORT is unknown and has no effect; did you mean SVC_API_PORT?",
		"environment variable SVC_LOG_SOMETHING_NEW is unknown and has no effect",
	]);
});

test("a worker without an API and without the address of one is warned of", () => {
	const warningsOf = (only: string, env = {}) => resolveWith({}, { SVC_NODE_ONLY: only, ...env }).warnings;
	assert.match(warningsOf("worker").join(), /^auth\.api_url is not set/);
	assert.deepEqual([...warningsOf("worker,api"), ...warningsOf("rules"), ...warningsOf("worker", { SVC_AUTH_API_URL: "http://svc" })], []);
});

test("variables of the client, of actions and of others are not warned of", () => {
	const names = [
		"SVC_API_URL",
		"SVC_AUTH_TOKEN",
		"SVC_ACTION_API_URL",
		"SVC_CONFIG_FILE",
		"SVC_ADMIN_PASSWORD",
		"SVC_DEPLOYMENT",
		"PATH",
		"API_PORT",
	];
	const env = Object.fromEntries(names.map((name) => [name, "x"]));
	assert.deepEqual(resolveWith({}, env).warnings, []);
});

test("names of Object's prototype are unknown options like any other", () => {
	const parts = JSON.parse('{ "api": { "__proto__": 1, "constructor": 2 }, "toString": 3 }') as object;
	assert.equal(problemsOf(parts).length, 3);
});

test("the data directory is created for its owner only", async () => {
	const parent = await mkdtemp(join(tmpdir(), "svc-config-"));
	try {
		const path = join(parent, "a", "data");
		await prepareDataDirectory(path);
		await prepareDataDirectory(path);
		assert.equal((await stat(path)).mode & 0o777, 0o700);
		await assert.rejects(
			prepareDataDirectory("/dev/null/data"),
			(error) => isSvcError(error, "SVC_CONFIG") && error.message.includes("/dev/null/data"),
		);
	} finally {
		await rm(parent, { recursive: true });
	}
});

test("a data directory that others may read is said, one of its own is not", async () => {
	const path = await mkdtemp(join(tmpdir(), "svc-config-"));
	try {
		assert.equal(await findOpenDataDirectory(join(path, "none")), undefined);
		for (const mode of [0o755, 0o750, 0o701, 0o777]) {
			await chmod(path, mode);
			await prepareDataDirectory(path);
			const warning = (await findOpenDataDirectory(path)) ?? "";
			assert.ok(warning.startsWith(`data_dir: "${path}" is accessible to other users of the machine (mode 0${mode.toString(8)})`), warning);
			assert.match(warning, /hint: chmod 700/);
		}
		await chmod(path, 0o700);
		assert.equal(await findOpenDataDirectory(path), undefined);
	} finally {
		await rm(path, { recursive: true });
	}
});

test.run();
