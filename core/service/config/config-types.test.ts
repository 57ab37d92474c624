import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineConfig, isSvcError, type Options } from "../../contract/index.ts";
import { authBackend, eventBus, runner, storage } from "../../testing/config/config.test-support.ts";
import { wrongConfigurations } from "../../testing/config/wrong-configurations.test-support.ts";
import { wrongPlugins } from "../../testing/config/wrong-plugins.test-support.ts";
import { createService } from "../service.ts";

const composition = { storage, event_bus: eventBus, runners: [runner("one")] };

// @ts-expect-error an option is left out rather than undefined, which the start takes for the same
export const withUndefined = defineConfig({ ...composition, api: { port: undefined } });

for (const { path, message, make } of [...wrongConfigurations, ...wrongPlugins]) {
	test(`what the compiler refuses the start refuses too, at ${path}: ${message}`, () => {
		assert.throws(
			() => createService(make(), { directory: "/nonexistent" }),
			(error: unknown) => {
				assert.ok(isSvcError(error, "SVC_CONFIG"), String(error));
				const problems = (error.facts["problems"] ?? [error.message]) as readonly string[];
				const found = problems.filter((problem) => problem.startsWith(path) && problem.includes(message));
				assert.equal(found.length, 1, problems.join("\n"));
				return true;
			},
		);
	});
}

test("there are forty wrong ones at least", () => {
	assert.ok(wrongConfigurations.length + wrongPlugins.length >= 40);
});

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

test("a backend is chosen by a name that there is", () => {
	const backends = { ldap: ({ host }: { host: string }) => ({ ...authBackend, name: host }), pam: () => authBackend };
	const config = defineConfig({ ...composition, auth: { backend: "ldap" }, auth_backends: backends });
	assert.equal(config.auth?.backend, "ldap");
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
