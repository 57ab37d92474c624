import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineConfig, type Options } from "../contract/index.ts";
import { authBackend, eventBus, runner, storage } from "./config.test-support.ts";

const composition = { storage, event_bus: eventBus, runners: [runner("one")] };

// Checked by the compiler: an expected error that does not occur is an error itself.
export const wrongConfigurations = [
	// @ts-expect-error runners are needed
	defineConfig({ storage, event_bus: eventBus }),
	// @ts-expect-error a storage is needed
	defineConfig({ event_bus: eventBus, runners: [] }),
	// @ts-expect-error an event bus is no storage
	defineConfig({ ...composition, storage: eventBus }),
	// @ts-expect-error a storage is no runner
	defineConfig({ ...composition, runners: [storage] }),
	// @ts-expect-error a plugin is called to be configured
	defineConfig({ ...composition, storage: () => storage }),
	// @ts-expect-error unknown section
	defineConfig({ ...composition, strem: {} }),
	// @ts-expect-error unknown option
	defineConfig({ ...composition, api: { prot: 9101 } }),
	// @ts-expect-error unknown option beside the backend
	defineConfig({ ...composition, auth: { backend: authBackend, token_tl: 1 } }),
	// @ts-expect-error a port is a number
	defineConfig({ ...composition, api: { port: "9101" } }),
	// @ts-expect-error a switch is a boolean
	defineConfig({ ...composition, auth: { enable: "yes" } }),
	// @ts-expect-error a level is one of the choices
	defineConfig({ ...composition, log: { level: "trace" } }),
	// @ts-expect-error a list holds texts
	defineConfig({ ...composition, api: { allow_origin: [1] } }),
	// @ts-expect-error a list is no text
	defineConfig({ ...composition, api: { allow_origin: "*" } }),
	// @ts-expect-error a backend is a plugin or a name
	defineConfig({ ...composition, auth: { backend: 1 } }),
	// @ts-expect-error backends to choose from make plugins
	defineConfig({ ...composition, auth_backends: { ldap: () => storage } }),
	// @ts-expect-error a backend stands in auth only
	defineConfig({ ...composition, api: { backend: authBackend } }),
	// @ts-expect-error packs is a list
	defineConfig({ ...composition, packs: "./packs" }),
	// @ts-expect-error an option is left out rather than undefined
	defineConfig({ ...composition, api: { port: undefined } }),
];

test("a right configuration compiles and comes back unchanged", () => {
	const config = {
		...composition,
		packs: ["./packs"],
		data_dir: "./data",
		auth: { enable: true, backend: authBackend, token_ttl: 60 },
		api: { allow_origin: ["*"], auth_cookie_same_site: "lax" },
		log: { level: "debug" },
	} as const;
	assert.equal(defineConfig(config), config);
});

test("options have the types of their definitions", () => {
	const level: (options: Options) => "error" | "warn" | "info" | "debug" = (options) => options.log.level;
	const port: (options: Options) => number = (options) => options.api.port;
	const origins: (options: Options) => readonly string[] = (options) => options.api.allow_origin;
	assert.deepEqual(
		[level, port, origins].map((read) => read.length),
		[1, 1, 1],
	);
});

test.run();
